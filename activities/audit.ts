import { insertEvents, type AuditLine } from '../infra/db/statements/audit.ts';
import type { Services } from '../infra/services.ts';
import type { AuditKind } from '../domain/frozen-strings.ts';

/**
 * An event for the audit log. `subject` says what the event is about, usually with an id. `data` never contains PII.
 */
export interface AuditEntry {
  subject: string;
  kind: AuditKind;
  actor: string;
  data: Readonly<Record<string, unknown>>;
  /** When the event happened, in business time. If `at` is missing, the database sets the real time. */
  at?: Date;
}

type AuditServices = Pick<Services, 'db' | 'newId'>;

/**
 * Appends an event to the audit log in the open transaction. The database links the events of each subject in a hash chain.
 */
export async function audit(services: AuditServices, entry: AuditEntry): Promise<void> {
  await services.db.send(insertEvents(auditLine(services, entry)));
}

/** Appends several events in one statement, in the open transaction. Events of one subject keep their order. */
export async function auditAll(services: AuditServices, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  if (entries.length === 1) return audit(services, entries[0]!);
  // Sorted by subject, so that transactions with the same subjects lock them in the same order and cannot deadlock.
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
