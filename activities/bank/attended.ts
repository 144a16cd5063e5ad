import type { Principal } from '../../domain/auth.ts';
import { ATTENDED_FOR_MIN } from '../../domain/bank/reading.ts';
import { signedInLately } from '../../infra/db/queries/bank-lists.ts';
import type { Services } from '../../infra/services.ts';

/** Whether the caller is the person themselves, who signed in here a moment ago. A client's token does not show that. */
export async function isThere({ db }: Pick<Services, 'db'>, principal: Principal): Promise<boolean> {
  if (principal.kind !== 'user' || principal.clientId !== null) return false;
  return (await db.maybe(signedInLately(principal.familyId, ATTENDED_FOR_MIN))) !== undefined;
}
