import { ACCESS_TOKEN_SECONDS, familyExpiry, refreshExpiry, type Scope } from '../../domain/auth.ts';
import { insertFamily, insertTokens } from '../../infra/db/queries/auth.ts';
import type { Row } from '../../infra/db/tables.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newAccessToken, newRefreshToken } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { TokenSet } from '../../openapi/types.ts';

/** Without an OAuth client or a browser session, its column is null. Signing out of the session ends the tokens. */
type Grant = Pick<Row<'token_families'>, 'user_id' | 'client_id' | 'session_hash' | 'scopes'>;

export async function beginFamily(tx: Tx, services: Pick<Services, 'newId' | 'keys'>, grant: Grant, now: Date) {
  const familyId = services.newId('fam');
  const familyExpiresAt = familyExpiry(now);
  const period = { created_at: now.toISOString(), expires_at: familyExpiresAt.toISOString() };
  await tx.run(insertFamily({ family_id: familyId, ...grant, ...period }));
  return {
    familyId,
    tokens: await issueTokens(tx, services, { familyId, familyExpiresAt, scopes: grant.scopes }, now),
  };
}

/** `narrowedTo` limits the access token to fewer scopes. */
interface IssuingFamily {
  familyId: string;
  familyExpiresAt: Date;
  scopes: readonly Scope[];
  narrowedTo?: readonly Scope[];
}

export async function issueTokens(
  tx: Tx,
  services: Pick<Services, 'keys'>,
  { familyId, familyExpiresAt, scopes, narrowedTo }: IssuingFamily,
  now: Date,
): Promise<TokenSet> {
  const access = newAccessToken();
  const refresh = newRefreshToken();
  const accessExpiresAt = new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1_000);
  await tx.run(
    insertTokens(
      { family_id: familyId, created_at: now.toISOString() },
      { token_hash: hashOf(services, access), scopes: narrowedTo ?? null, expires_at: accessExpiresAt.toISOString() },
      { token_hash: hashOf(services, refresh), expires_at: refreshExpiry(now, familyExpiresAt).toISOString() },
    ),
  );
  return {
    access_token: access,
    refresh_token: refresh,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    scope: (narrowedTo ?? scopes).join(' '),
  };
}
