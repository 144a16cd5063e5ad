import { knownOrigin, originOfFamily } from '../../infra/db/queries/oauth.ts';
import type { Principal } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';

type Needs = Pick<Services, 'db'>;

export async function isKnownOrigin({ db }: Needs, origin: string): Promise<boolean> {
  return (await db.maybe(knownOrigin({ origin })))?.known === true;
}

/** Whether the caller's OAuth client has registered this origin. */
export async function isOriginOf({ db }: Needs, principal: Principal, origin: string): Promise<boolean> {
  if (principal.kind !== 'user') return false;
  return (await db.maybe(originOfFamily({ family_id: principal.familyId, origin })))?.known === true;
}
