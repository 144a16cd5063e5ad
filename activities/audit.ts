import { insertEvents, type AuditLine } from '../infra/db/statements/audit.ts';
import type { Services } from '../infra/services.ts';
import type { AuditKind } from '../domain/frozen-strings.ts';

/** `subject` is usually an id. Do not put PII into `data`. */
export interface AuditEntry {
  subject: string;
  kind: AuditKind;
  actor: string;
  data: Readonly<Record<string, unknown>>;
  /** The business time of the event. By default, the database sets the real time. */
  at?: Date;
}

type AuditServices = Pick<Services, 'db' | 'newId'>;

export async function audit(services: AuditServices, entry: AuditEntry): Promise<void> {
  await services.db.send(insertEvents(auditLine(services, entry)));
}

/** Appends several events in one statement. Events of one subject keep their order. */
export async function auditAll(services: AuditServices, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  if (entries.length === 1) return audit(services, entries[0]!);
  // Sorted by subject: transactions lock the same subjects in the same order, and so cannot deadlock.
  const sorted = [...entries].sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
  const lines = sorted.map((entry) => auditLine(services, entry));
  await services.db.transaction(() => services.db.run(insertEvents.all(lines)));
}

export function auditLine(
  { newId }: Pick<Services, 'newId'>,
  { subject, kind, actor, data, at }: AuditEntry,
): AuditLine {
  return { event_id: newId('evt'), subject, kind, actor, data: JSON.stringify(data), at: at ?? null };
}
