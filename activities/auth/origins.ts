import { knownOrigin, originOfFamily } from '../../infra/db/statements/oauth.ts';
import type { Principal } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';

type Needs = Pick<Services, 'db'>;

/** Whether pages of that origin may call the service for some OAuth client. */
export async function isKnownOrigin({ db }: Needs, origin: string): Promise<boolean> {
  return (await db.load(knownOrigin({ origin })))?.known === true;
}

/** Whether pages of that origin may use this credential: the token of a client that named the origin. */
export async function isOriginOf({ db }: Needs, principal: Principal, origin: string): Promise<boolean> {
  if (principal.kind !== 'user') return false;
  return (await db.load(originOfFamily({ family_id: principal.familyId, origin })))?.known === true;
}
