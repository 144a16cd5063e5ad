import * as statements from '../../infra/db/statements/sign-in.ts';
import type { Services } from '../../infra/services.ts';

/**
 * Ends what a user's old password let in, in the transaction that is open; of the sign-in of `familyId` itself nothing. Codes go
 * after sessions and before tokens: whoever is being given one meanwhile is waited for, and then ended too.
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
