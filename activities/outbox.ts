import type { OutboxKind } from '../domain/frozen-strings.ts';
import type { Query } from '../infra/db/query.ts';
import { insertMessage } from '../infra/db/statements/outbox.ts';
import type { Services } from '../infra/services.ts';

/** The relay delivers the message once the transaction has committed. */
export async function enqueue(
  { db, outbox }: Pick<Services, 'db' | 'outbox'>,
  kind: OutboxKind,
  workflowId: string,
  payload: object,
): Promise<void> {
  await db.run(insertMessage(kind, workflowId, payload));
  db.afterCommit(() => outbox.notify());
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
    restart: (services: Services, work: Work) => Promise<void>;
  },
): Promise<number> {
  const { db, clock } = services;
  const now = await clock.now();
  const found = await db.many(work.find(new Date(now.getTime() - silent_for_s * 1_000), limit, now));
  await db.transaction(async () => {
    for (const each of found) await work.restart(services, each);
  });
  return found.length;
}
