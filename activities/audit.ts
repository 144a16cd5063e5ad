import { insertEvents, type AuditLine } from '../infra/db/statements/audit.ts';
import type { Services } from '../infra/services.ts';
import type { AuditKind } from '../domain/frozen-strings.ts';

/** Something that happened. `subject` is the id of what it happened to; `data` holds ids, codes and pence, never PII. */
export interface AuditEntry {
  subject: string;
  kind: AuditKind;
  actor: string;
  data: Readonly<Record<string, unknown>>;
  /** Business time. Without it the database uses its own clock, which is real time. */
  at?: Date;
}

type AuditServices = Pick<Services, 'db' | 'newId'>;

/** Appends to the audit log, in the open transaction. The database chains the event to the subject's last one. */
export async function audit(services: AuditServices, entry: AuditEntry): Promise<void> {
  await services.db.send(insertEvents(auditLine(services, entry)));
}

/** Appends several events by one statement, in the open transaction. Events of one subject keep their order. */
export async function auditAll(services: AuditServices, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  if (entries.length === 1) return audit(services, entries[0]!);
  // Sorted by subject, so that two transactions with the same subjects lock them in one order and cannot deadlock.
  const sorted = [...entries].sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
  const lines = sorted.map((entry) => auditLine(services, entry));
  await services.db.transaction(() => services.db.run(insertEvents.all(lines)));
}

/** An event in the form that queries take. */
export function auditLine(
  { newId }: Pick<Services, 'newId'>,
  { subject, kind, actor, data, at }: AuditEntry,
): AuditLine {
  return { event_id: newId('evt'), subject, kind, actor, data: JSON.stringify(data), at: at ?? null };
}
