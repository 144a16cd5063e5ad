import type { Query } from '../infra/db/query.ts';
import * as statements from '../infra/db/statements/retention.ts';
import type { Services } from '../infra/services.ts';

/** How many rows an activity deleted. */
export interface Purged {
  purged: number;
}

const BATCH = 500;
const AUTH = [
  statements.purgeLimits,
  statements.purgeSessions,
  statements.purgeResets,
  statements.purgeVerifications,
  statements.purgeAttempts,
  statements.purgeLinkRequests,
  statements.purgeOldFamilies,
  statements.purgeEndedFamilies,
  statements.purgeCodes,
  statements.purgePlaces,
];

/**
 * What the purge's workflow calls. Each deletes batch by batch until nothing is left, or until its signal aborts.
 * The statements alone decide what has expired. Several may run at once.
 */
export const retentionActivities = ({ db }: Pick<Services, 'db'>) => ({
  /** Deletes stored answers older than 24 hours. */
  purgeIdempotencyRecords: (signal?: AbortSignal) => purge(db, [statements.purgeAnswers], signal),

  /**
   * Deletes what nobody can use any more: sessions, codes, links, sign-ins at other providers, tokens a week after their end,
   * places that were not used for a year, counts of limits.
   */
  purgeExpiredAuth: (signal?: AbortSignal) => purge(db, AUTH, signal),
});

export type RetentionActivities = ReturnType<typeof retentionActivities>;

async function purge(
  db: Services['db'],
  deletions: readonly ((most: number) => Query)[],
  signal?: AbortSignal,
): Promise<Purged> {
  let purged = 0;
  for (const deletion of deletions) {
    for (let rows = BATCH; rows === BATCH; purged += rows) {
      signal?.throwIfAborted();
      rows = await db.run(deletion(BATCH));
    }
  }
  return { purged };
}
