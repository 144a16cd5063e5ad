import { checkBufferRate, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { DEFAULT_BUFFER_RATE } from '../../domain/paycheck.ts';
import { profileOf, setBufferRate } from '../../infra/db/queries/auth.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import type { Services } from '../../infra/services.ts';
import type { Profile } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { retrievePii } from '../vault/own.ts';
import type { VaultServices } from '../vault/record.ts';

export async function getProfile(services: VaultServices, { principal }: { principal: Principal }): Promise<Profile> {
  if (principal.kind === 'api_key') {
    const { keyId, appId, scopes, environment } = principal;
    return { key_id: keyId, app_id: appId, scopes: [...scopes], environment, authenticated_by: 'api_key' };
  }
  const row = await services.db.maybe(profileOf({ user_id: principal.userId }));
  if (row === undefined) throw new Error('the account of the token does not exist');
  const access = { purpose: 'profile', actor: principal.userId };
  const { email } = await retrievePii<'user_email'>(services, row.email_ref, access);
  return {
    user_id: row.user_id,
    email,
    email_verified: row.email_verified,
    created_at: row.created_at,
    scopes: [...principal.scopes],
    buffer_rate: row.buffer_rate ?? DEFAULT_BUFFER_RATE,
    authenticated_by: 'user',
  };
}

export async function updateProfile(
  services: VaultServices,
  { principal, buffer_rate: bufferRate }: { principal: Principal; buffer_rate: string },
): Promise<Profile> {
  const { userId } = userOf(
    principal,
    'An API key has no profile. Sign in as the user whose profile you want to change.',
  );
  await services.db.run(setBufferRate(userId, checkBufferRate(bufferRate)));
  return getProfile(services, { principal });
}

/** Revokes all tokens of the caller's sign-in, but keeps the person's browser session. */
export async function logout(
  services: Pick<Services, 'db' | 'newId'>,
  { principal }: { principal: Principal },
): Promise<void> {
  const { userId, familyId } = userOf(
    principal,
    'An API key is not signed in, so it cannot sign out. Ask an operator to revoke the key.',
  );
  const at = new Date();
  await services.db.transaction(async (tx) => {
    const ended = await tx.run(endFamilies({ family_id: familyId }, at, 'logout'));
    if (ended === 0) return;
    await audit(tx, services, { subject: userId, kind: 'sign-out', actor: userId, data: { family_id: familyId } });
  });
}

/** @throws DomainError `users-only` for an API key. */
export function userOf(principal: Principal, refusal: string): Extract<Principal, { kind: 'user' }> {
  if (principal.kind === 'user') return principal;
  throw new DomainError('users-only', refusal);
}
