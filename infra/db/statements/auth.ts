import type { Scope } from '../../../domain/auth.ts';
import { sql } from 'kysely';
import { relationOf } from '../lists.ts';
import { batchQuery, type Placed } from '../query.ts';
import { query } from '../sql.ts';

export interface UserRow {
  user_id: string;
  email_ref: string;
  /** Null for an account that another provider's sign-in made. */
  password_hash: string | null;
  email_verified_at: string | null;
  created_at: string;
}

export const userByEmail = query<UserRow>(
  'auth.userByEmail',
  'select user_id, email_ref, password_hash, email_verified_at, created_at from users where email_index = $1',
);

/**
 * User, reference, index, hash or null, when the address was verified or null, at. Writes nothing where the address is taken,
 * having waited for whoever is taking it.
 */
export const insertUser = query(
  'auth.insertUser',
  `insert into users (user_id, email_ref, email_index, password_hash, email_verified_at, created_at)
   values ($1, $2, $3, $4, $5, $6) on conflict (email_index) do nothing`,
);

export const insertOwner = query(
  'auth.insertOwner',
  'insert into owners (owner_id, created_at) values ($1, $2) on conflict (owner_id) do nothing',
);

/** Accounts by user. */
export const profileOf = batchQuery(
  'auth.profileOf',
  (users: readonly { user_id: string }[]) => sql<
    Placed & {
      user_id: string;
      email_ref: string;
      email_verified: boolean;
      created_at: string;
      buffer_rate: string | null;
    }
  >`
    select asked.place, u.user_id, u.email_ref, u.email_verified_at is not null as email_verified, u.created_at, o.buffer_rate
      from ${relationOf('asked', users, { user_id: 'text' })}
      join users u on u.user_id = asked.user_id
      left join owners o on o.owner_id = u.user_id`,
);

/** What a user's address is found by. */
export const emailIndexOfUser = query<{ email_index: string }>(
  'auth.emailIndexOfUser',
  'select email_index from users where user_id = $1',
);

/** A user's password, which cannot be changed before the transaction ends. */
export const lockPassword = query<Pick<UserRow, 'password_hash'>>(
  'auth.lockPassword',
  'select password_hash from users where user_id = $1 for share',
);

export const setBufferRate = query('auth.setBufferRate', 'update owners set buffer_rate = $2 where owner_id = $1');

/** Family, user, client, the browser's session or null, scopes, at, end. It knows what the session was signed in with. */
export const insertFamily = query(
  'auth.insertFamily',
  `insert into token_families (family_id, user_id, client_id, session_hash, scopes, created_at, expires_at, signed_in_with)
   values ($1, $2, $3, $4, $5, $6, $7, case when $4::text is null then 'password'
     else (select s.signed_in_with from sessions s where s.session_hash = $4) end)`,
);

/** Both tokens of a set: family, at, access hash, access end, refresh hash, refresh end, the access token's own scopes or null. */
export const insertTokens = query(
  'auth.insertTokens',
  `with access as (
     insert into access_tokens (token_hash, family_id, created_at, expires_at, scopes) values ($3, $1, $2, $4, $7))
   insert into refresh_tokens (token_hash, family_id, created_at, expires_at) values ($5, $1, $2, $6)`,
);

/** Families of access tokens by the tokens' hashes, where both still live. Scopes come as JSON, which is parsed fastest. */
export const principalOfToken = batchQuery(
  'auth.principalOfToken',
  (tokens: readonly { token_hash: string }[]) => sql<Placed & { family_id: string; user_id: string; scopes: Scope[] }>`
    select asked.place, f.family_id, f.user_id, array_to_json(coalesce(t.scopes, f.scopes)) as scopes
      from ${relationOf('asked', tokens, { token_hash: 'text' })}
      join access_tokens t on t.token_hash = asked.token_hash
      join token_families f on f.family_id = t.family_id
     where t.expires_at > now() and f.ended_at is null`,
);

export interface RefreshRow {
  family_id: string;
  user_id: string;
  client_id: string | null;
  scopes: Scope[];
  expires_at: string;
  rotated_at: string | null;
  successor_sealed: string | null;
  family_expires_at: string;
  ended_at: string | null;
}

/** Held until the transaction ends: a second use of the same token waits, and then sees what the first one did. */
export const lockRefresh = query<RefreshRow>(
  'auth.lockRefresh',
  `select f.family_id, f.user_id, f.client_id, f.scopes, r.expires_at, r.rotated_at, r.successor_sealed,
          f.expires_at as family_expires_at, f.ended_at
     from refresh_tokens r join token_families f using (family_id) where r.token_hash = $1 for update of r`,
);

export const rotateRefresh = query(
  'auth.rotateRefresh',
  'update refresh_tokens set rotated_at = $2, successor_sealed = $3 where token_hash = $1',
);

/** Forgets what nobody may use any more: family, at, replies to rotations before. */
export const forgetSpent = query(
  'auth.forgetSpent',
  `with replies as (
     update refresh_tokens set successor_sealed = null
      where family_id = $1 and successor_sealed is not null and rotated_at < $3)
   delete from access_tokens where family_id = $1 and expires_at < $2`,
);

/** Ends a family with all its tokens: family, at, reason. Writes nothing where it has ended already. */
export const endFamily = query(
  'auth.endFamily',
  'update token_families set ended_at = $2, ended_reason = $3 where family_id = $1 and ended_at is null',
);

export interface KeyRow {
  key_id: string;
  app_id: string;
  lineage: string;
  scopes: Scope[];
  environment: 'sandbox' | 'production';
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** What the key may assert in a month, in pence; null where it has no limits. */
  income_per_owner: number | null;
  income_per_month: number | null;
  /** How many requests it may send in a minute; null where the deployment's limit holds. */
  per_minute: number | null;
}

const KEY = `select key_id, app_id, lineage, scopes, environment, created_at, expires_at, revoked_at, income_per_owner,
     income_per_month, per_minute
   from api_keys`;

/** Keys by their hashes, where they still work. */
export const principalOfKey = batchQuery(
  'auth.principalOfKey',
  (keys: readonly { secret_hash: string }[]) => sql<Placed & Omit<KeyRow, 'created_at' | 'expires_at' | 'revoked_at'>>`
    select asked.place, k.key_id, k.app_id, k.lineage, k.environment, array_to_json(k.scopes) as scopes, k.income_per_owner,
           k.income_per_month, k.per_minute
      from ${relationOf('asked', keys, { secret_hash: 'text' })}
      join api_keys k on k.secret_hash = asked.secret_hash
     where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
);

/** Held until the transaction ends: no two changes of one key at the same time. */
export const lockKey = query<KeyRow>('auth.lockKey', `${KEY} where key_id = $1 for update`);

/** Of the application, or null for all. */
export const listKeys = query<KeyRow>(
  'auth.listKeys',
  `${KEY} where $1::text is null or app_id = $1 order by created_at desc, key_id desc`,
);

/**
 * Key, application, lineage, hash, scopes, environment, at, what it may assert in a month, for one owner and for all, and requests
 * a minute.
 */
export const insertKey = query(
  'auth.insertKey',
  `insert into api_keys (key_id, app_id, lineage, secret_hash, scopes, environment, created_at, income_per_owner, income_per_month,
     per_minute)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

export const expireKey = query('auth.expireKey', 'update api_keys set expires_at = $2 where key_id = $1');
export const revokeKey = query('auth.revokeKey', 'update api_keys set revoked_at = $2 where key_id = $1');

export interface ApplicationRow {
  app_id: string;
  name: string;
  created_at: string;
  owner_prefix: string | null;
}

export const applicationById = query<ApplicationRow>(
  'auth.applicationById',
  'select app_id, name, created_at, owner_prefix from applications where app_id = $1',
);

export const listApplications = query<ApplicationRow>(
  'auth.listApplications',
  'select app_id, name, created_at, owner_prefix from applications order by created_at desc, app_id desc',
);

/** Id, name, at, owner prefix or null. */
export const insertApplication = query(
  'auth.insertApplication',
  'insert into applications (app_id, name, created_at, owner_prefix) values ($1, $2, $3, $4)',
);

/** Locks the table against other new applications, until the transaction ends. */
export const lockApplications = query('auth.lockApplications', 'lock table applications in share row exclusive mode');

export const ownerPrefixes = query<{ app_id: string; owner_prefix: string }>(
  'auth.ownerPrefixes',
  'select app_id, owner_prefix from applications where owner_prefix is not null',
);

/** Client, application, name, redirect addresses, scopes, hash of the secret or null, at. */
export const insertClient = query(
  'auth.insertClient',
  `insert into oauth_clients (client_id, app_id, name, redirect_uris, scopes, secret_hash, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
