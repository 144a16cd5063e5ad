import * as queries from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';

/**
 * Ends a user's access, except the session and tokens of the sign-in `familyId`. Ends the codes before the tokens,
 * because ending the codes waits for code exchanges in progress.
 * @returns the token families that were ended.
 */
export async function endAllElse(
  tx: Tx,
  { userId, familyId, reason, at }: { userId: string; familyId: string | null; reason: string; at: Date },
): Promise<string[]> {
  await tx.run(queries.useResetsOfUser(userId, at));
  await tx.run(queries.endSessionsOfUser(userId, { at, familyId }));
  await tx.run(queries.endCodesOfUser(userId, at));
  const ended = await tx.many(queries.endFamiliesOfUser(userId, { at, ended_reason: reason, familyId }));
  return ended.map(({ family_id }) => family_id);
}
