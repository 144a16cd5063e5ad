import type { Scope } from '../../../domain/auth.ts';
import { query } from '../sql.ts';

export interface ClientRow {
  client_id: string;
  /** Null for a public client. */
  secret_hash: string | null;
}

export const clientById = query<ClientRow>(
  'oauth.clientById',
  'select client_id, secret_hash from oauth_clients where client_id = $1',
);

export interface CodeRow {
  client_id: string;
  /** Whether the client keeps no secret. */
  is_public: boolean;
  user_id: string;
  redirect_uri: string;
  scopes: Scope[];
  code_challenge: string | null;
  session_hash: string | null;
  /** Whether the person signed out, or was signed out, since. */
  session_ended: boolean;
  expires_at: string;
  used_at: string | null;
  family_id: string | null;
}

/** Held until the transaction ends: a second use of the same code waits, and then sees what the first one did. */
export const lockCode = query<CodeRow>(
  'oauth.lockCode',
  `select a.client_id, c.secret_hash is null as is_public, a.user_id, a.redirect_uri, a.scopes, a.code_challenge,
          a.session_hash, s.ended_at is not null as session_ended, a.expires_at, a.used_at, a.family_id
     from authorization_codes a
     join oauth_clients c using (client_id)
     left join sessions s using (session_hash)
    where a.code_hash = $1 for update of a`,
);

export const useCode = query('oauth.useCode', 'update authorization_codes set used_at = $2 where code_hash = $1');

/** Names the tokens to end when the code is used twice. */
export const setCodeFamily = query(
  'oauth.setCodeFamily',
  'update authorization_codes set family_id = $2 where code_hash = $1',
);

export interface TokenRow {
  family_id: string;
  user_id: string;
  client_id: string | null;
  scopes: Scope[];
  created_at: string;
  expires_at: string;
}

/** An access token that works. */
export const liveAccessToken = query<TokenRow>(
  'oauth.liveAccessToken',
  `select f.family_id, f.user_id, f.client_id, coalesce(t.scopes, f.scopes) as scopes, t.created_at, t.expires_at
     from access_tokens t join token_families f using (family_id)
    where t.token_hash = $1 and t.expires_at > now() and f.ended_at is null`,
);

/** A refresh token that was not used yet. */
export const liveRefreshToken = query<TokenRow>(
  'oauth.liveRefreshToken',
  `select f.family_id, f.user_id, f.client_id, f.scopes, r.created_at, r.expires_at
     from refresh_tokens r join token_families f using (family_id)
    where r.token_hash = $1 and r.expires_at > now() and r.rotated_at is null and f.ended_at is null`,
);

/** Deletes an access token of the client: hash, client. Gives the family, where it was there. */
export const deleteAccessToken = query<{ family_id: string; user_id: string }>(
  'oauth.deleteAccessToken',
  `delete from access_tokens t using token_families f
    where t.token_hash = $1 and f.family_id = t.family_id and f.client_id = $2
   returning f.family_id, f.user_id`,
);

/** Ends the family of a refresh token of the client, used or not: hash, client, at. Gives the family, where it had not ended. */
export const endFamilyOfRefresh = query<{ family_id: string; user_id: string }>(
  'oauth.endFamilyOfRefresh',
  `update token_families f set ended_at = $3, ended_reason = 'revoked' from refresh_tokens r
    where r.token_hash = $1 and f.family_id = r.family_id and f.client_id = $2 and f.ended_at is null
   returning f.family_id, f.user_id`,
);
