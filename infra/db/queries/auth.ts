import { sql } from 'kysely';
import type { Scope } from '../../../domain/auth.ts';
import { relationOf } from '../lists.ts';
import { batchQuery, insertion, query, type Numbered } from '../query.ts';
import { tables, type Row } from '../tables.ts';
import type { MacedKey } from './macs.ts';

export const userByEmail = query('auth.userByEmail', (emailIndex: string) =>
  tables
    .selectFrom('users')
    .select(['user_id', 'email_ref', 'password_hash', 'email_verified_at', 'created_at'])
    .where('email_index', '=', emailIndex),
);

/** Inserts nothing if the email address is taken. Waits for a concurrent insert of the same address. */
export const insertUser = query('auth.insertUser', (user: Omit<Row<'users'>, 'disabled_at'>) =>
  tables
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email_index').doNothing()),
);

export const insertOwner = query('auth.insertOwner', (owner_id: string, at: Date) =>
  tables
    .insertInto('owners')
    .values({ owner_id, created_at: at.toISOString() })
    .onConflict((conflict) => conflict.column('owner_id').doNothing()),
);

export const profileOf = batchQuery(
  'auth.profileOf',
  (users: readonly { user_id: string }[]) => sql<
    Numbered & {
      user_id: string;
      email_ref: string;
      email_verified: boolean;
      created_at: string;
      buffer_rate: string | null;
    }
  >`
    select requested.ordinal, u.user_id, u.email_ref, u.email_verified_at is not null as email_verified, u.created_at, o.buffer_rate
      from ${relationOf('requested', users, { user_id: 'text' })}
      join users u on u.user_id = requested.user_id
      left join owners o on o.owner_id = u.user_id`,
);

export const emailOfUser = query('auth.emailOfUser', (userId: string) =>
  tables.selectFrom('users').select(['email_index', 'email_ref']).where('user_id', '=', userId),
);

export const lockPassword = query('auth.lockPassword', (userId: string) =>
  tables.selectFrom('users').select('password_hash').where('user_id', '=', userId).forShare(),
);

export const setBufferRate = query('auth.setBufferRate', (ownerId: string, buffer_rate: string) =>
  tables.updateTable('owners').set({ buffer_rate }).where('owner_id', '=', ownerId),
);

type NewFamily = Omit<Row<'token_families'>, 'ended_at' | 'ended_reason' | 'signed_in_with'>;

export const insertFamily = query('auth.insertFamily', (family: NewFamily) =>
  tables.insertInto('token_families').values({
    ...family,
    signed_in_with:
      family.session_hash === null
        ? 'password'
        : tables.selectFrom('sessions').select('signed_in_with').where('session_hash', '=', family.session_hash),
  }),
);

type NewAccess = Pick<Row<'access_tokens'>, 'token_hash' | 'scopes' | 'expires_at'>;
type NewRefresh = Pick<Row<'refresh_tokens'>, 'token_hash' | 'expires_at'>;

export const insertTokens = query(
  'auth.insertTokens',
  (of: { family_id: string; created_at: string }, access: NewAccess, refresh: NewRefresh) =>
    tables
      .with('access', (db) => db.insertInto('access_tokens').values({ ...of, ...access }))
      .insertInto('refresh_tokens')
      .values({ ...of, ...refresh }),
);

/** Returns scopes as JSON, the form that is fastest to parse. */
export const principalOfToken = batchQuery(
  'auth.principalOfToken',
  (tokens: readonly { token_hash: string }[]) => sql<
    Numbered & { family_id: string; user_id: string; client_id: string | null; scopes: Scope[] }
  >`
    select requested.ordinal, f.family_id, f.user_id, f.client_id, array_to_json(coalesce(t.scopes, f.scopes)) as scopes
      from ${relationOf('requested', tokens, { token_hash: 'text' })}
      join access_tokens t on t.token_hash = requested.token_hash
      join token_families f on f.family_id = t.family_id
     where t.expires_at > now() and f.ended_at is null`,
);

export type RefreshRow = Pick<Row<'token_families'>, 'family_id' | 'user_id' | 'client_id' | 'scopes' | 'ended_at'> &
  Pick<Row<'refresh_tokens'>, 'expires_at' | 'rotated_at' | 'successor_sealed'> & { family_expires_at: string };

/** Locks a refresh token, so that a second use waits and sees the first use. */
export const lockRefresh = query('auth.lockRefresh', (tokenHash: string) =>
  tables
    .selectFrom('refresh_tokens as r')
    .innerJoin('token_families as f', 'f.family_id', 'r.family_id')
    .select(['f.family_id', 'f.user_id', 'f.client_id', 'f.scopes', 'r.expires_at', 'r.rotated_at'])
    .select(['r.successor_sealed', 'f.expires_at as family_expires_at', 'f.ended_at'])
    .where('r.token_hash', '=', tokenHash)
    .forUpdate('r'),
);

export const rotateRefresh = query(
  'auth.rotateRefresh',
  (tokenHash: string, { at, successor_sealed }: { at: Date; successor_sealed: string }) =>
    tables
      .updateTable('refresh_tokens')
      .set({ rotated_at: at.toISOString(), successor_sealed })
      .where('token_hash', '=', tokenHash),
);

/** Deletes expired access tokens, and the stored responses of rotations before `repliesBefore`. */
export const forgetSpent = query(
  'auth.forgetSpent',
  (familyId: string, { at, repliesBefore }: { at: Date; repliesBefore: Date }) =>
    tables
      .with('replies', (db) =>
        db
          .updateTable('refresh_tokens')
          .set({ successor_sealed: null })
          .where('family_id', '=', familyId)
          .where('successor_sealed', 'is not', null)
          .where('rotated_at', '<', repliesBefore.toISOString()),
      )
      .deleteFrom('access_tokens')
      .where('family_id', '=', familyId)
      .where('expires_at', '<', at.toISOString()),
);

export type KeyRow = Omit<Row<'api_keys'>, 'secret_hash' | 'mac' | 'mac_version'>;

const keys = () =>
  tables
    .selectFrom('api_keys')
    .select(['key_id', 'app_id', 'lineage', 'scopes', 'environment', 'created_at', 'expires_at', 'revoked_at'])
    .select(['income_per_owner', 'income_per_month', 'per_minute', 'name', 'last_used_at', 'disabled_at']);

export const principalOfKey = batchQuery(
  'auth.principalOfKey',
  (requested: readonly { secret_hash: string }[]) => sql<Numbered & MacedKey>`
    select requested.ordinal, k.key_id, k.secret_hash, k.app_id, k.lineage, k.environment, array_to_json(k.scopes) as scopes,
           k.income_per_owner, k.income_per_month, k.per_minute, k.created_at, k.expires_at, k.mac, k.mac_version
      from ${relationOf('requested', requested, { secret_hash: 'text' })}
      join api_keys k on k.secret_hash = requested.secret_hash
     where k.revoked_at is null and k.disabled_at is null and (k.expires_at is null or k.expires_at > now())`,
);

export const lockKey = query('auth.lockKey', (keyId: string) =>
  keys().select(['secret_hash', 'mac', 'mac_version']).where('key_id', '=', keyId).forUpdate(),
);

export const listKeys = query('auth.listKeys', (appId: string | undefined) =>
  keys()
    .$if(appId !== undefined, (found) => found.where('app_id', '=', appId!))
    .orderBy('created_at', 'desc')
    .orderBy('key_id', 'desc'),
);

export const insertKey = query(
  'auth.insertKey',
  (key: Omit<Row<'api_keys'>, 'revoked_at' | 'last_used_at' | 'disabled_at'>) =>
    tables.insertInto('api_keys').values(key),
);

/** `mac` is that of the row with this end. */
export const expireKey = query(
  'auth.expireKey',
  (keyId: string, end: Pick<Row<'api_keys'>, 'expires_at' | 'mac' | 'mac_version'>) =>
    tables.updateTable('api_keys').set(end).where('key_id', '=', keyId),
);

export const revokeKey = query('auth.revokeKey', (keyId: string, at: Date) =>
  tables.updateTable('api_keys').set({ revoked_at: at.toISOString() }).where('key_id', '=', keyId),
);

/** Writes at most once per key and hour. */
export const noteKeysUsed = query(
  'auth.noteKeysUsed',
  (keyIds: readonly string[]) => sql`
    update api_keys set last_used_at = date_trunc('hour', now(), 'UTC')
     where key_id = any(${keyIds}::text[]) and coalesce(last_used_at, '-infinity') < date_trunc('hour', now(), 'UTC')`,
);

export const lockApplications = query(
  'auth.lockApplications',
  () => sql`lock table applications in share row exclusive mode`,
);

export const insertApplication = insertion('auth.insertApplication', 'applications');

export const ownerPrefixes = query('auth.ownerPrefixes', () =>
  tables
    .selectFrom('applications')
    .select(['app_id', 'owner_prefix'])
    .where('owner_prefix', 'is not', null)
    .$narrowType<{ owner_prefix: string }>(),
);
