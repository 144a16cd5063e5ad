import type { Query } from '../infra/db/query.ts';
import * as statements from '../infra/db/queries/retention.ts';
import type { Services } from '../infra/services.ts';

const BATCH = 500;
const AUTH = [
  statements.purgeLimits,
  statements.purgeSessions,
  statements.purgeResets,
  statements.purgeVerifications,
  statements.purgeAttempts,
  statements.purgeInvitations,
  statements.purgeLinkRequests,
  statements.purgeOldFamilies,
  statements.purgeEndedFamilies,
  statements.purgeCodes,
  statements.purgePlaces,
];

/** The SQL statements decide what has expired. Several activities can run at the same time. */
export const retentionActivities = ({ db }: Pick<Services, 'db'>) => ({
  purgeIdempotencyRecords: (signal?: AbortSignal) => purge(db, [statements.purgeAnswers], signal),

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
