import { REMIND_DAYS_BEFORE, remindersDue } from '../../domain/bank/connections.ts';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { queueMail } from '../auth/mail.ts';
import { endConnection, lockConnection, type RecordServices } from './record.ts';

type Needs = RecordServices & Pick<Services, 'db'>;

/** Stores what readers see already: the time of these connections is over. Returns the number. */
export async function expireConnections(services: Needs, { limit }: { limit: number }): Promise<number> {
  const found = await services.db.many(queries.overdueConnections(limit));
  for (const { connection_id } of found) {
    await services.db.transaction(async (tx) => {
      const connection = await lockConnection(tx, connection_id);
      if (connection.overdue) await endConnection(connection, services, { reason: 'time-over', actor: 'service' });
    });
  }
  return found.length;
}

/** Queues the emails that are due before `reconfirm_by`. Returns the number. */
export async function remindToReconfirm(services: Needs, { limit }: { limit: number }): Promise<number> {
  const { db, clock } = services;
  const today = londonDateOf(await clock.now(db));
  const by = addDays(today, Math.max(...REMIND_DAYS_BEFORE));
  let queued = 0;
  for (const { connection_id } of await db.many(queries.connectionsToRemind({ by, most: limit }))) {
    await db.transaction(async (tx) => {
      const { status, reconfirm_by, reminders, owner_id } = await lockConnection(tx, connection_id);
      const due = status === 'authorised' && reconfirm_by !== null ? remindersDue(reconfirm_by, today) : 0;
      if (due <= reminders) return;
      await tx.run(queries.changeConnection(connection_id, { reminders: due }));
      await queueMail(tx, { kind: 'bank-reconfirmation', userId: owner_id, data: { connection_id } });
      queued += 1;
    });
  }
  return queued;
}
