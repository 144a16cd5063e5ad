import { insertEvent, insertEvents } from '../infra/db/statements/audit.ts';
import type { Services } from '../infra/services.ts';

/** Something that happened. `subject` is the id of what it happened to; `data` holds ids, codes and pence, never PII. */
export interface AuditEntry {
  subject: string;
  kind: string;
  actor: string;
  data: Readonly<Record<string, unknown>>;
  at: Date;
}

/** Appends to the audit log, in the transaction that is open; the database chains it to the subject's last event. */
export async function audit({ db, newId }: Pick<Services, 'db' | 'newId'>, entry: AuditEntry): Promise<void> {
  const data = JSON.stringify(entry.data);
  await db.runAhead(insertEvent, [newId('evt'), entry.subject, entry.kind, entry.actor, data, entry.at]);
}

/** Appends several events by one statement, in the transaction that is open. Those of one subject keep their order. */
export async function auditAll(
  { db, newId }: Pick<Services, 'db' | 'newId'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  if (entries.length === 1) return audit({ db, newId }, entries[0]!);
  // Always by subject: two that tell of the same subjects at the same time wait for each other in one order.
  const sorted = [...entries].sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
  await db.transaction(() =>
    db.run(insertEvents, [
      sorted.map(() => newId('evt')),
      sorted.map(({ subject }) => subject),
      sorted.map(({ kind }) => kind),
      sorted.map(({ actor }) => actor),
      sorted.map(({ data }) => JSON.stringify(data)),
      sorted.map(({ at }) => at.toISOString()),
    ]),
  );
}
