import type { OutboxKind } from '../domain/frozen-strings.ts';
import type { Query } from '../infra/db/query.ts';
import { insertMessage } from '../infra/db/queries/outbox.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';

/** The relay delivers the message once the transaction has committed. */
export async function enqueue(
  tx: Tx,
  { outbox }: Pick<Services, 'outbox'>,
  kind: OutboxKind,
  workflowId: string,
  payload: object,
): Promise<void> {
  await tx.run(insertMessage(kind, workflowId, payload));
  tx.afterCommit(() => outbox.notify());
}

export interface Silent {
  silent_for_s: number;
  limit: number;
}

/** Restarts work whose workflow may have been lost, for example with Temporal's database. Returns the number of rows. */
export async function restartSilent<Work>(
  services: Services,
  { silent_for_s, limit }: Silent,
  work: {
    find: (silentSince: Date, most: number, now: Date) => Query<Work>;
    restart: (tx: Tx, services: Services, work: Work) => Promise<void>;
  },
): Promise<number> {
  const { db, clock } = services;
  const now = await clock.now(db);
  const found = await db.many(work.find(new Date(now.getTime() - silent_for_s * 1_000), limit, now));
  await db.transaction(async (tx) => {
    for (const each of found) await work.restart(tx, services, each);
  });
  return found.length;
}
