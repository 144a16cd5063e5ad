import { sql, type RawBuilder } from 'kysely';
import { relationOf } from '../lists.ts';
import { batchQuery, query } from '../query.ts';
import { tables, type Row } from '../tables.ts';
import { appendedFrom, EVENT_TYPES, type AuditLine } from './audit.ts';

/** The record becomes the event's subject. */
type VaultEvent = Omit<AuditLine, 'subject'>;

type VaultRecordToInsert = VaultEvent & Omit<Row<'vault_records'>, 'erased_at'>;

export const insertRecord = batchQuery(
  'vault.insertRecord',
  (records: readonly VaultRecordToInsert[]) => sql`
    with given as (
      select * from ${relationOf('given', records, {
        vault_ref: 'text',
        pii_type: 'text',
        owner_id: 'text',
        app_id: 'text',
        sealed: 'text',
        key_version: 'int',
        created_at: 'timestamptz',
        ...EVENT_TYPES,
      })}
    ), event as (${appendedFrom(sql`given`)})
    insert into vault_records (vault_ref, pii_type, owner_id, app_id, sealed, key_version, created_at)
    select vault_ref, pii_type, owner_id, app_id, sealed, key_version, created_at from given, event`,
);

/** `sealed` is null after erasure. */
export type VaultRecordRow = Pick<Row<'vault_records'>, (typeof RECORD)[number]>;

const RECORD = ['vault_ref', 'pii_type', 'owner_id', 'sealed', 'created_at', 'app_id'] as const;

/** A null application matches every record. */
const isOf = (app: RawBuilder<unknown>, record = 'vault_records') => sql<boolean>`
  (${app} is null or ${app} = ${sql.ref(record)}.app_id)`;

const records = () => tables.selectFrom('vault_records').select(RECORD);

export const recordByRef = query('vault.recordByRef', (vaultRef: string, app: string | null) =>
  records()
    .where('vault_ref', '=', vaultRef)
    .where(isOf(sql`${app}::text`)),
);

/** The result has no particular order. */
export const recordsByRefs = query('vault.recordsByRefs', (vaultRefs: readonly string[], app: string | null) =>
  records()
    .where('vault_ref', '=', sql<string>`any(${vaultRefs}::text[])`)
    .where(isOf(sql`${app}::text`)),
);

/** Those of a slice, and those since a time. A null slice chooses all. */
export const recordsToVerify = query(
  'vault.recordsToVerify',
  (after: string, most: number, slice: number | null, since: string | null) =>
    records()
      .where('vault_ref', '>', after)
      .where(sql<boolean>`(in_slice(vault_ref, ${slice}) or created_at >= ${since}::timestamptz)`)
      .orderBy('vault_ref')
      .limit(most),
);

interface RecordToOpen extends VaultEvent {
  vault_ref: string;
  app_id: string | null;
}

/** Audits the access to each record that was not erased. */
export const recordsToOpen = batchQuery(
  'vault.recordsToOpen',
  (requested: readonly RecordToOpen[]) => sql<VaultRecordRow & { ordinal: number }>`
    with requested as (
      select a.*, r.pii_type, r.owner_id, r.sealed, r.created_at, r.app_id as bound_to
        from ${relationOf('a', requested, { vault_ref: 'text', app_id: 'text', ...EVENT_TYPES })}
        join vault_records r on r.vault_ref = a.vault_ref and ${isOf(sql.ref('a.app_id'), 'r')}
    ), event as (${appendedFrom(sql`requested where sealed is not null`)})
    select ordinal, vault_ref, pii_type, owner_id, sealed, created_at, bound_to as app_id from requested, event`,
);

export const lockRecord = query('vault.lockRecord', (vaultRef: string) =>
  records().where('vault_ref', '=', vaultRef).forNoKeyUpdate(),
);

interface ErasureRow {
  erased: boolean;
  /** Whether the record still had its content. */
  was_open: boolean;
  /** The user or payee that still uses the record. Null if there is none. */
  used_by: string | null;
}

/** Erases nothing if the record is still used. Returns no row for a record of another application. */
export const eraseRecord = query(
  'vault.eraseRecord',
  ({ vault_ref, app_id, erased_at, ...event }: RecordToOpen & { erased_at: Date }) => sql<ErasureRow>`
    with used as (
      select user_id as id from users where email_ref = ${vault_ref}
      union all select r.provider_id from payees r where r.bank_ref = ${vault_ref} and (r.removed_at is null or exists (
        select from payments p where p.provider_id = r.provider_id and p.status in ('processing', 'pending')))
    ), erased as (
      update vault_records set sealed = null, erased_at = ${erased_at}
       where vault_ref = ${vault_ref} and ${isOf(sql`${app_id}::text`)} and sealed is not null and not exists (select from used)
      returning vault_ref, ${event.event_id}::text as event_id, ${event.kind}::text as kind, ${event.actor}::text as actor,
                ${event.data}::text as data, ${event.at}::timestamptz as at, 1 as ordinal
    ), event as (${appendedFrom(sql`erased`)})
    select exists (select from erased) as erased, sealed is not null as was_open, (select min(id) from used) as used_by
      from event, vault_records where vault_ref = ${vault_ref} and ${isOf(sql`${app_id}::text`)}`,
);
