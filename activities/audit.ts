import { insertEvent } from '../infra/db/statements/audit.ts';
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
  await db.run(insertEvent, [newId('evt'), entry.subject, entry.kind, entry.actor, data, entry.at]);
}
