import type { Query } from '../infra/db/query.ts';
import * as queries from '../infra/db/queries/retention.ts';
import type { Services } from '../infra/services.ts';

const BATCH = 500;
const AUTH = [
  queries.purgeLimits,
  queries.purgeSessions,
  queries.purgeResets,
  queries.purgeVerifications,
  queries.purgeAttempts,
  queries.purgeInvitations,
  queries.purgeLinkRequests,
  queries.purgeOldFamilies,
  queries.purgeEndedFamilies,
  queries.purgeCodes,
  queries.purgeOrigins,
  queries.purgeBankAnswers,
  queries.purgeJourneys,
  queries.purgeHouseLinks,
  queries.purgeHouseJourneys,
  queries.purgeBankReads,
  queries.purgePaymentCounts,
  queries.purgeAppPaymentCounts,
  queries.purgeOldTransactions,
  queries.purgeLeftTransactions,
  queries.purgeLeftAccounts,
  queries.purgePdfs,
];

/** The SQL statements decide what has expired. Several activities can run at the same time. */
export const retentionActivities = ({ db }: Pick<Services, 'db'>) => ({
  purgeIdempotencyRecords: (signal?: AbortSignal) => purge(db, [queries.purgeAnswers], signal),

  purgeExpiredAuth: (signal?: AbortSignal) => purge(db, AUTH, signal),
});

export type RetentionActivities = ReturnType<typeof retentionActivities>;

async function purge(db: Services['db'], deletions: readonly ((most: number) => Query)[], signal?: AbortSignal) {
  let purged = 0;
  for (const deletion of deletions) {
    for (let rows = BATCH; rows === BATCH; purged += rows) {
      signal?.throwIfAborted();
      rows = await db.run(deletion(BATCH));
    }
  }
  return { purged };
}
