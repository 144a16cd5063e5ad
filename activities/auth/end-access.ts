import * as statements from '../../infra/db/statements/sign-in.ts';
import type { Services } from '../../infra/services.ts';

/**
 * Ends a user's access, except the session and tokens of the sign-in `familyId`. Ending the codes waits for code
 * exchanges in progress, so end the codes before the tokens.
 * @returns the token families that were ended.
 */
export async function endAllElse(
  { db }: Pick<Services, 'db'>,
  { userId, familyId, reason, at }: { userId: string; familyId: string | null; reason: string; at: Date },
): Promise<string[]> {
  await db.run(statements.useResetsOfUser(userId, at));
  await db.run(statements.endSessionsOfUser(userId, { at, familyId }));
  await db.run(statements.endCodesOfUser(userId, at));
  const ended = await db.many(statements.endFamiliesOfUser(userId, { at, ended_reason: reason, familyId }));
  return ended.map(({ family_id }) => family_id);
}
