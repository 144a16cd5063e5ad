import { ACCESS_TOKEN_SECONDS, familyExpiry, refreshExpiry, type Scope } from '../../domain/auth.ts';
import { insertFamily, insertTokens } from '../../infra/db/statements/auth.ts';
import { hashOf, newAccessToken, newRefreshToken } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';

type Needs = Pick<Services, 'db' | 'newId'>;

/** The token set of the specification, section 2. */
export interface TokenSet {
  access_token: string;
  refresh_token: string;
  token_type: 'bearer';
  /** Seconds. */
  expires_in: number;
  /** Separated by spaces. */
  scope: string;
}

/** Begins a family of tokens with its first set, in the transaction that is open. `clientId` is null for our own sign-in. */
export async function beginFamily(
  services: Needs,
  { userId, clientId, scopes }: { userId: string; clientId: string | null; scopes: readonly Scope[] },
  now: Date,
): Promise<{ familyId: string; tokens: TokenSet }> {
  const familyId = services.newId('fam');
  const familyExpiresAt = familyExpiry(now);
  await services.db.run(insertFamily, [familyId, userId, clientId, scopes, now, familyExpiresAt]);
  return { familyId, tokens: await issueTokens(services, { familyId, familyExpiresAt, scopes }, now) };
}

/** A new access and a new refresh token of a family, in the transaction that is open. */
export async function issueTokens(
  { db }: Pick<Services, 'db'>,
  { familyId, familyExpiresAt, scopes }: { familyId: string; familyExpiresAt: Date; scopes: readonly Scope[] },
  now: Date,
): Promise<TokenSet> {
  const access = newAccessToken();
  const refresh = newRefreshToken();
  const accessExpiresAt = new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1_000);
  await db.run(insertTokens, [
    familyId,
    now,
    hashOf(access),
    accessExpiresAt,
    hashOf(refresh),
    refreshExpiry(now, familyExpiresAt),
  ]);
  return {
    access_token: access,
    refresh_token: refresh,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    scope: scopes.join(' '),
  };
}
