import type { Counts, MonthOfPayments, ScorePart } from '../../../domain/credential.ts';
import type { ProviderCategory } from '../../../domain/payments.ts';
import type { PublicJwk } from '../../credential/keys.ts';
import { query } from '../sql.ts';

/** The counts of a credential; null in those that were issued before they were counted. */
type CountColumns = { [Name in keyof Counts]: number | null };

/** A credential; what else is null is there once it is signed, `revoked_at` once it is revoked. */
export interface CredentialRow extends CountColumns {
  credential_id: string;
  owner_id: string;
  requested_by: string;
  categories: ProviderCategory[];
  period_from: string;
  period_to: string;
  total_payments: number;
  missed_payments: number;
  on_time_rate: string;
  reliability_score: number;
  score_breakdown: ScorePart[];
  months: MonthOfPayments[];
  list_id: number;
  list_index: number;
  created_at: string;
  issued_at: string | null;
  expires_at: string | null;
  kid: string | null;
  sd_jwt: string | null;
  revoked_at: string | null;
}

const COLUMNS = `credential_id, owner_id, requested_by, categories, period_from, period_to, total_payments, missed_payments,
  on_time_rate, reliability_score, score_breakdown, months, bills, payees, months_covered, total_paid, payments_left_out,
  list_id, list_index, created_at, issued_at, expires_at, kid, sd_jwt, revoked_at`;

/** In the order of the columns, up to `list_index`, and then `created_at`. */
export const insertCredential = query(
  'credential.insert',
  `insert into credentials (credential_id, owner_id, requested_by, categories, period_from, period_to, total_payments,
     missed_payments, on_time_rate, reliability_score, score_breakdown, months, bills, payees, months_covered, total_paid,
     payments_left_out, list_id, list_index, created_at)
   values ($1, $2, $3, $4::text[], $5, $6, $7, $8, $9, $10, $11::jsonb, $12::jsonb, $13, $14, $15, $16, $17, $18, $19, $20)`,
);

export const credentialById = query<CredentialRow>(
  'credential.byId',
  `select ${COLUMNS} from credentials where credential_id = $1`,
);

/** Id, issued, expires, key, SD-JWT. Writes nothing where it is signed already. */
export const signCredential = query(
  'credential.sign',
  `update credentials set issued_at = $2, expires_at = $3, kid = $4, sd_jwt = $5
    where credential_id = $1 and issued_at is null`,
);

/** Id, at. Writes nothing where it is revoked already. */
export const revokeCredential = query(
  'credential.revoke',
  'update credentials set revoked_at = $2 where credential_id = $1 and issued_at is not null and revoked_at is null',
);

/** Ids of those that have not been signed since $1, the oldest first, at most $2. */
export const unsignedSince = query<{ credential_id: string; owner_id: string }>(
  'credential.unsignedSince',
  `select credential_id, owner_id from credentials where issued_at is null and created_at < $1 order by created_at limit $2`,
);

/** Locks the list that credentials go to, the latest one. */
export const lockLatestList = query<{ list_id: number; used: number }>(
  'credential.lockLatestList',
  'select list_id, used from credential_status_lists order by list_id desc limit 1 for no key update',
);

/** Makes the list of that number. Writes nothing where it is there already. */
export const insertList = query(
  'credential.insertList',
  'insert into credential_status_lists (list_id, created_at) values ($1, $2) on conflict do nothing',
);

/** The first of the indices $2 that is free in the list $1, which is locked. */
export const freeIndex = query<{ list_index: number }>(
  'credential.freeIndex',
  `select wanted.list_index from unnest($2::int[]) with ordinality as wanted (list_index, place)
    where not exists (select from credentials c where c.list_id = $1 and c.list_index = wanted.list_index)
    order by place limit 1`,
);

export const countUsed = query(
  'credential.countUsed',
  'update credential_status_lists set used = used + 1 where list_id = $1',
);

export const nextVersion = query(
  'credential.nextVersion',
  'update credential_status_lists set version = version + 1 where list_id = $1',
);

export const listVersion = query<{ version: number }>(
  'credential.listVersion',
  'select version from credential_status_lists where list_id = $1',
);

export const revokedOfList = query<{ list_index: number }>(
  'credential.revokedOfList',
  'select list_index from credentials where list_id = $1 and revoked_at is not null',
);

export interface KeyRow {
  kid: string;
  public_jwk: PublicJwk;
  created_at: string;
  retired_at: string | null;
}

/** The key that signs now, with its private part. */
export const currentKey = query<{ kid: string; sealed: string }>(
  'credential.currentKey',
  `select k.kid, s.sealed from credential_keys k join sealed_secrets s on s.name = 'credential key ' || k.kid
    where k.retired_at is null`,
);

export const currentKid = query<{ kid: string }>(
  'credential.currentKid',
  'select kid from credential_keys where retired_at is null',
);

/** Name, public part, private part sealed, at. Writes nothing where a key is current. */
export const insertKey = query(
  'credential.insertKey',
  `with made as (
     insert into credential_keys (kid, public_jwk, created_at) values ($1, $2::jsonb, $4) on conflict do nothing returning kid)
   insert into sealed_secrets (name, sealed, created_at) select 'credential key ' || kid, $3, $4 from made`,
);

/** One at a time until the end of the transaction, over all processes: whoever replaces the current key. */
export const lockKeys = query(
  'credential.lockKeys',
  `select pg_advisory_xact_lock(hashtextextended('credential-key', 0))`,
);

/** Ends the current key and drops its private part. */
export const retireKey = query<{ kid: string }>(
  'credential.retireKey',
  `with retired as (
     update credential_keys set retired_at = $1 where retired_at is null returning kid
   ), dropped as (
     delete from sealed_secrets where name in (select 'credential key ' || kid from retired))
   select kid from retired`,
);

export const keyByKid = query<{ public_jwk: PublicJwk }>(
  'credential.keyByKid',
  'select public_jwk from credential_keys where kid = $1',
);

/** Keys of which something still counts, newest first: business time $1, and since when a key must have signed lists $2. */
export const keysInUse = query<KeyRow>(
  'credential.keysInUse',
  `select kid, public_jwk, created_at, retired_at from credential_keys k
    where retired_at is null or retired_at > $2
       or exists (select from credentials c where c.kid = k.kid and c.expires_at > $1)
    order by created_at desc, kid`,
);

/** All keys, newest first, and how many credentials each signed that are not over at $1. */
export const allKeys = query<Pick<KeyRow, 'kid' | 'created_at' | 'retired_at'> & { unexpired: number }>(
  'credential.allKeys',
  `select kid, created_at, retired_at,
          (select count(*) from credentials c where c.kid = k.kid and c.expires_at > $1) as unexpired
     from credential_keys k order by created_at desc, kid`,
);
