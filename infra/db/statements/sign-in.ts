import type { Scope } from '../../../domain/auth.ts';
import { query } from '../sql.ts';

/** Hash, user, at, end, what the person signed in with: `password` or a provider. */
export const insertSession = query(
  'signIn.insertSession',
  'insert into sessions (session_hash, user_id, created_at, expires_at, signed_in_with) values ($1, $2, $3, $4, $5)',
);

export interface SessionRow {
  user_id: string;
}

/** The session, where it still lives. */
export const sessionByHash = query<SessionRow>(
  'signIn.sessionByHash',
  'select user_id from sessions where session_hash = $1 and ended_at is null and expires_at > now()',
);

/** The same, and it cannot end before the transaction does. */
export const lockSession = query<SessionRow>(
  'signIn.lockSession',
  'select user_id from sessions where session_hash = $1 and ended_at is null and expires_at > now() for share',
);

/** Writes nothing where it has ended already. */
export const endSession = query(
  'signIn.endSession',
  'update sessions set ended_at = $2 where session_hash = $1 and ended_at is null',
);

/** The tokens that were granted in a session: session, at, reason. */
export const endFamiliesOfSession = query(
  'signIn.endFamiliesOfSession',
  'update token_families set ended_at = $2, ended_reason = $3 where session_hash = $1 and ended_at is null',
);

/** Every session of a user, but for the one of the family $3: user, at, family or null. */
export const endSessionsOfUser = query(
  'signIn.endSessionsOfUser',
  `update sessions set ended_at = $2 where user_id = $1 and ended_at is null
      and session_hash is distinct from (select f.session_hash from token_families f where f.family_id = $3)`,
);

/** Every family of tokens of a user, but for $4: user, at, reason, family or null. */
export const endFamiliesOfUser = query(
  'signIn.endFamiliesOfUser',
  `update token_families set ended_at = $2, ended_reason = $3
    where user_id = $1 and ended_at is null and family_id is distinct from $4`,
);

/** Codes of a user that nobody has redeemed yet end now: user, at. Waits for whoever is redeeming one. */
export const endCodesOfUser = query(
  'signIn.endCodesOfUser',
  'update authorization_codes set expires_at = $2 where user_id = $1 and used_at is null and expires_at > $2',
);

export interface ClientRow {
  client_id: string;
  name: string;
  redirect_uris: string[];
  scopes: Scope[];
  /** Whether it is an app on somebody's device, which can keep no secret. */
  is_public: boolean;
}

export const clientById = query<ClientRow>(
  'signIn.clientById',
  `select client_id, name, redirect_uris, scopes, secret_hash is null as is_public
     from oauth_clients where client_id = $1`,
);

export interface ProviderLinkRow {
  provider_id: string;
  name: string;
}

/** Who else people may sign in with. */
export const listProviderLinks = query<ProviderLinkRow>(
  'signIn.listProviderLinks',
  'select provider_id, name from sign_in_providers where removed_at is null order by name, provider_id',
);

export interface AddressRow {
  email_ref: string;
}

export const addressOf = query<AddressRow>('signIn.addressOf', 'select email_ref from users where user_id = $1');

/** User, client, scopes, at. What was allowed before is replaced. */
export const upsertConsent = query(
  'signIn.upsertConsent',
  `insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, $3, $4)
   on conflict (user_id, client_id) do update set scopes = excluded.scopes, granted_at = excluded.granted_at`,
);

/** Hash, client, user, redirect address, scopes, challenge or null, session, at, end. */
export const insertCode = query(
  'signIn.insertCode',
  `insert into authorization_codes
     (code_hash, client_id, user_id, redirect_uri, scopes, code_challenge, session_hash, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

export interface ResetRow {
  user_id: string;
  email_ref: string;
  /** Whether somebody proved the address already. */
  proved: boolean;
}

/** Whose link it is, where it can still be used. */
export const resetByToken = query<ResetRow>(
  'signIn.resetByToken',
  `select r.user_id, u.email_ref, u.email_verified_at is not null as proved from password_resets r join users u using (user_id)
    where r.token_hash = $1 and r.used_at is null and r.expires_at > now()`,
);

/** Hash, user, at, end. */
export const insertReset = query(
  'signIn.insertReset',
  'insert into password_resets (token_hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)',
);

/** Writes nothing where it was used already, or is too old. */
export const useReset = query(
  'signIn.useReset',
  'update password_resets set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2',
);

/** The other links of a user: none can be used any more. */
export const useResetsOfUser = query(
  'signIn.useResetsOfUser',
  'update password_resets set used_at = $2 where user_id = $1 and used_at is null',
);

/** A user's own password: user, hash. Holds the user until the transaction ends, so that changes follow one another. */
export const setPassword = query('signIn.setPassword', 'update users set password_hash = $2 where user_id = $1');

/** The same where the password is still what it was: user, hash, hash before. */
export const replacePassword = query(
  'signIn.replacePassword',
  'update users set password_hash = $2 where user_id = $1 and password_hash = $3',
);

/** Whether an account was signed in to from one of these places: user, places. */
export const knownPlaces = query<{ place: string }>(
  'signIn.knownPlaces',
  'select place from sign_in_places where user_id = $1 and place = any($2) limit 1',
);

/** User, places, at. */
export const rememberPlaces = query(
  'signIn.rememberPlaces',
  `insert into sign_in_places (user_id, place, seen_at) select $1, place, $3 from unnest($2::text[]) as place
   on conflict (user_id, place) do update set seen_at = greatest(sign_in_places.seen_at, excluded.seen_at)`,
);
