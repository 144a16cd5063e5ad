import { lines, query } from '../sql.ts';
import { appendFrom } from './audit.ts';

/** Events of records, one for each row of a relation that names its columns so, in the order of their references. */
const EVENTS = appendFrom(
  ['event_id', 'vault_ref', 'kind', 'actor', 'data', 'at'].map(
    (column) => `array_agg(${column} order by vault_ref, place)`,
  ),
);

/**
 * Records and word of them in the audit log. A line: reference, type, owner, application or null, sealed, key version, at; event, kind,
 * actor, data, at.
 */
export const insertRecord = lines(
  'vault.insertRecord',
  `with given as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::timestamptz[],
                          $8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[]) with ordinality
       as given (vault_ref, pii_type, owner_id, app_id, sealed, key_version, created_at, event_id, kind, actor, data, at, place)
   ), event as (select ${EVENTS} as events from given)
   insert into vault_records (vault_ref, pii_type, owner_id, app_id, sealed, key_version, created_at)
   select vault_ref, pii_type, owner_id, app_id, sealed, key_version, created_at from given, event`,
);

export interface VaultRecordRow {
  vault_ref: string;
  pii_type: string;
  owner_id: string;
  sealed: string | null;
  created_at: string;
}

const RECORD = 'select vault_ref, pii_type, owner_id, sealed, created_at from vault_records';

/** Whether a record is of that application, or any record will do, as that is null. */
const isOf = (app: string, record = 'vault_records') =>
  `(${app} is null or ${app} = coalesce(${record}.app_id, vault_record_application(${record}.vault_ref)))`;

/** Reference, application or null. `sealed` is null once the record was erased. */
export const recordByRef = query<VaultRecordRow>(
  'vault.recordByRef',
  `${RECORD} where vault_ref = $1 and ${isOf('$2::text')}`,
);

/** References, application or null; in no order. */
export const recordsByRefs = query<VaultRecordRow>(
  'vault.recordsByRefs',
  `${RECORD} where vault_ref = any($1::text[]) and ${isOf('$2::text')}`,
);

/**
 * Records on their way to be opened, and word of it in the audit log for those that were not erased. Lines of reference,
 * application or null, event, kind, actor, data, at.
 */
export const recordsToOpen = lines<VaultRecordRow & { place: number }>(
  'vault.recordsToOpen',
  `with asked as (
     select a.*, r.pii_type, r.owner_id, r.sealed, r.created_at
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
            with ordinality as a (vault_ref, app_id, event_id, kind, actor, data, at, place)
       join vault_records r on r.vault_ref = a.vault_ref and ${isOf('a.app_id', 'r')}
   ), event as (select ${EVENTS} as events from asked where sealed is not null)
   select place, vault_ref, pii_type, owner_id, sealed, created_at from asked, event`,
);

/** Held until the transaction ends: answers about one record are given one after the other. */
export const lockRecord = query<VaultRecordRow>('vault.lockRecord', `${RECORD} where vault_ref = $1 for no key update`);

export interface ErasureRow {
  erased: boolean;
  /** Whether there was something to erase. */
  was_open: boolean;
  /** The id of what the service itself needs the record for; null where it needs it for nothing. */
  used_by: string | null;
}

/**
 * Destroys what was sealed and its key, and says so in the audit log; does nothing where the record was erased before or is
 * needed. No row where there is no such record. Reference, at; event, kind, actor, data, at; application or null.
 */
export const eraseRecord = query<ErasureRow>(
  'vault.eraseRecord',
  `with used as (
     select user_id as id from users where email_ref = $1
     union all select provider_id from providers where bank_ref = $1
   ), erased as (
     update vault_records set sealed = null, erased_at = $2
      where vault_ref = $1 and ${isOf('$8::text')} and sealed is not null and not exists (select from used)
     returning vault_ref, $3::text as event_id, $4::text as kind, $5::text as actor, $6::text as data, $7::timestamptz as at, 1 as place
   ), event as (select ${EVENTS} as events from erased)
   select exists (select from erased) as erased, sealed is not null as was_open, (select min(id) from used) as used_by
     from event, vault_records where vault_ref = $1 and ${isOf('$8::text')}`,
);
