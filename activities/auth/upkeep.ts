import * as statements from '../../infra/db/statements/auth-upkeep.ts';
import type { Services } from '../../infra/services.ts';

const BATCH = 500;

/**
 * Deletes what can no longer be used by anybody, batch by batch: sessions, codes, links, sign-ins at other providers, tokens a
 * week after their end, places that were not used for a year, counts of limits. Several processes may do so at once.
 * @returns how many rows.
 */
export async function purgeExpiredAuth({ db, limits }: Pick<Services, 'db' | 'limits'>): Promise<{ purged: number }> {
  const rounds = [
    () => db.run(statements.purgeSessions, [BATCH]),
    () => db.run(statements.purgeResets, [BATCH]),
    () => db.run(statements.purgeVerifications, [BATCH]),
    () => db.run(statements.purgeAttempts, [BATCH]),
    () => db.run(statements.purgeLinkRequests, [BATCH]),
    async () => (await db.one(statements.purgeOldFamilies, [BATCH])).purged,
    async () => (await db.one(statements.purgeEndedFamilies, [BATCH])).purged,
    () => db.run(statements.purgeCodes, [BATCH]),
    () => db.run(statements.purgePlaces, [BATCH]),
  ];
  let purged = await limits.purge();
  for (const round of rounds) {
    for (let rows = BATCH; rows === BATCH; purged += rows) rows = await round();
  }
  return { purged };
}
