import { insertEvents, type AuditLine } from '../infra/db/statements/audit.ts';
import type { Services } from '../infra/services.ts';
import type { AuditKind } from '../domain/frozen-strings.ts';

/** Something that happened. `subject` is the id of what it happened to; `data` holds ids, codes and pence, never PII. */
export interface AuditEntry {
  subject: string;
  kind: AuditKind;
  actor: string;
  data: Readonly<Record<string, unknown>>;
  /** Business time. Left out, it is the database's own: real time. */
  at?: Date;
}

type AuditServices = Pick<Services, 'db' | 'newId'>;

/** Appends to the audit log, in the transaction that is open; the database chains it to the subject's last event. */
export async function audit(services: AuditServices, entry: AuditEntry): Promise<void> {
  await services.db.send(insertEvents(auditLine(services, entry)));
}

/** Appends several events by one statement, in the transaction that is open. Those of one subject keep their order. */
export async function auditAll(services: AuditServices, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  if (entries.length === 1) return audit(services, entries[0]!);
  // Always by subject: two that tell of the same subjects at the same time wait for each other in one order.
  const sorted = [...entries].sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
  const lines = sorted.map((entry) => auditLine(services, entry));
  await services.db.transaction(() => services.db.run(insertEvents.all(lines)));
}

/** An event as queries take it. */
export function auditLine(
  { newId }: Pick<Services, 'newId'>,
  { subject, kind, actor, data, at }: AuditEntry,
): AuditLine {
  return { event_id: newId('evt'), subject, kind, actor, data: JSON.stringify(data), at: at ?? null };
}
