import * as statements from '../../infra/db/statements/sign-in.ts';
import type { Services } from '../../infra/services.ts';

/**
 * Ends all access that the user's old password gave, in the open transaction, except the sign-in of `familyId`. Codes
 * end after sessions and before tokens. So this waits for a code exchange that is under way, and then ends its tokens
 * too.
 */
export async function endAllElse(
  { db }: Pick<Services, 'db'>,
  { userId, familyId, reason, at }: { userId: string; familyId: string | null; reason: string; at: Date },
): Promise<void> {
  await db.run(statements.useResetsOfUser(userId, at));
  await db.run(statements.endSessionsOfUser(userId, { at, familyId }));
  await db.run(statements.endCodesOfUser(userId, at));
  await db.run(statements.endFamiliesOfUser(userId, { at, ended_reason: reason, familyId }));
}
