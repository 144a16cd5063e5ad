import type { Query } from '../infra/db/query.ts';
import * as statements from '../infra/db/statements/retention.ts';
import type { Services } from '../infra/services.ts';

interface Purged {
  purged: number;
}

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

/**
 * The activities that delete expired data. Each activity deletes in batches until nothing is left, or its signal
 * aborts. The SQL statements alone decide what has expired. Several activities can run at the same time.
 */
export const retentionActivities = ({ db }: Pick<Services, 'db'>) => ({
  /** Deletes the stored responses to requests with an Idempotency-Key, 24 hours after the request. */
  purgeIdempotencyRecords: (signal?: AbortSignal) => purge(db, [statements.purgeAnswers], signal),

  /**
   * Deletes expired sessions, codes, links, invitations and provider sign-ins. Deletes tokens a week after their
   * sign-in expired or ended. Also deletes the fingerprints of networks and browsers that no sign-in has used for a
   * year, and expired counts of rate limits.
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
