import { sql, type RawBuilder } from 'kysely';
import { listsOf } from '../lists.ts';
import { query } from '../query.ts';
import { tables } from '../tables.ts';

export interface VersionCount {
  version: number;
  count: number;
}

/** The page starts after `version` and `id`. */
export interface PageWanted {
  olderThan: number;
  version: number;
  id: string;
  most: number;
}

/** `stale` is the previous ciphertext. */
export interface Rewrapped {
  id: string;
  stale: string;
  sealed: string;
}

const BEGINNING = '{"key":{"version":';

/** Yields null for text that is not sealed. A regular expression would be many times slower. */
function versionOf(sealed: RawBuilder<unknown>): RawBuilder<unknown> {
  const digits = sql`split_part(substr(${sealed}, ${sql.lit(BEGINNING.length + 1)}, 9), ',', 1)`;
  return sql`case when starts_with(${sealed}, ${sql.lit(BEGINNING)}) and translate(${digits}, '0123456789', '') = ''
                  then nullif(${digits}, '')::int end`;
}

/** Rotation re-encrypts these tables. A version that still encrypts a row cannot be retired. */
export const SEALED_TABLES = {
  vault_records: sealedTable('vault_records', { id: 'vault_ref', sealed: 'sealed', hasVersion: true }),
  documents: sealedTable('documents', { id: 'doc_id', sealed: 'key_sealed', hasVersion: true }),
  identity_providers: sealedTable('identity_providers', {
    id: 'provider_id',
    sealed: 'client_secret_sealed',
    where: sql`removed_at is null`,
  }),
  bank_consents: sealedTable('bank_consents', { id: 'consent_id', sealed: 'secret_sealed' }),
  bank_journeys: sealedTable('bank_journeys', { id: 'journey_id', sealed: 'sealed' }),
  bank_connections: sealedTable('bank_connections', { id: 'connection_id', sealed: 'paying_account_sealed' }),
  bank_connection_payees: sealedTable('bank_connections', {
    id: 'connection_id',
    sealed: 'payee_sealed',
    name: 'bank_connection_payees',
  }),
  bank_accounts: sealedTable('bank_accounts', { id: 'account_id', sealed: 'key_sealed' }),
  bank_payers: sealedTable('bank_payers', { id: 'payer_hash', sealed: 'name_sealed' }),
  sealed_secrets: sealedTable('sealed_secrets', { id: 'name', sealed: 'sealed' }),
} as const;

export type SealedTableName = keyof typeof SEALED_TABLES;

interface Columns {
  id: string;
  sealed: string;
  /** Large tables have a column `key_version`, so that an index can find rows by version. */
  hasVersion?: true;
  where?: RawBuilder<unknown>;
  /** Of the queries, if the table has several such columns. */
  name?: string;
}

function sealedTable(table: string, { id, sealed, hasVersion, where = sql`true`, name = table }: Columns) {
  const from = sql.table(table);
  const inText = versionOf(sql.ref(sealed));
  const rows = sql`(
    select ${sql.ref(id)} as id, ${hasVersion ? sql.ref('key_version') : inText} as version, ${sql.ref(sealed)} as sealed
      from ${from} where ${where} and ${sql.ref(sealed)} is not null) r`;
  return {
    countOlder: query(
      `vaultKeys.countOlder.${name}`,
      (version: number) => sql<{ count: number }>`select count(*) as count from ${rows} where version < ${version}`,
    ),
    pageOlder: query(
      `vaultKeys.pageOlder.${name}`,
      (wanted: PageWanted) => sql<{ id: string; version: number; sealed: string }>`
        select id, version, sealed from ${rows}
         where version < ${wanted.olderThan} and (version, id) > (${wanted.version}, ${wanted.id})
         order by version, id limit ${wanted.most}`,
    ),
    /** Skips records that changed after the page was read. */
    replace: query(
      `vaultKeys.replace.${name}`,
      (version: number, fresh: readonly Rewrapped[]) => sql`
        update ${from} r set ${sql.ref(sealed)} = fresh.sealed${hasVersion ? sql`, key_version = ${version}` : sql``}
          from unnest(${listsOf(fresh, { id: 'text', stale: 'text', sealed: 'text' })}) as fresh (id, stale, sealed)
         where ${sql.ref(`r.${id}`)} = fresh.id and ${sql.ref(`r.${sealed}`)} = fresh.stale`,
    ),
    countEach: query(
      `vaultKeys.countEach.${name}`,
      () => sql<VersionCount>`
        select version, count(*) as count from (select ${inText} as version from ${from} where ${where}) r
         where version is not null group by 1`,
    ),
  };
}

export type SealedTable = ReturnType<typeof sealedTable>;

/** Rotation skips stored responses, because stored responses expire after a day. */
export const countEachAnswer = query(
  'vaultKeys.countEachAnswer',
  () => sql<VersionCount>`
    select version, count(*) as count
      from (select ${versionOf(sql.ref('body'))} as version from idempotency_records
             where created_at > now() - interval '24 hours') r
     where version is not null group by 1`,
);

/** Inserts nothing if a secret with this name exists. */
export const insertSecret = query('vaultKeys.insertSecret', (name: string, sealed: string) =>
  tables
    .insertInto('sealed_secrets')
    .values({ name, sealed, created_at: sql<string>`now()` })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

export const secretByName = query('vaultKeys.secretByName', (name: string) =>
  tables.selectFrom('sealed_secrets').select('sealed').where('name', '=', name),
);

/** The secrets of MACs, of which there are few. */
export const macSecrets = query('vaultKeys.macSecrets', () =>
  tables.selectFrom('sealed_secrets').select(['name', 'sealed']).where('name', 'like', sql.lit('mac %')),
);

/** Drops the secrets up to `version`, but never the newest. */
export const dropMacSecrets = query(
  'vaultKeys.dropMacSecrets',
  (version: number) => sql`
    with numbered as (
      select name, substr(name, 5)::int as version from sealed_secrets where name ~ '^mac [1-9][0-9]{0,8}$')
    delete from sealed_secrets where name in (
      select name from numbered where version <= ${version} and version < (select max(version) from numbered))`,
);

export const lockMasterKeys = query(
  'vaultKeys.lock',
  () => sql`select pg_advisory_xact_lock(hashtextextended('master-key', 0))`,
);

export const rotationWasRecorded = query(
  'vaultKeys.rotationWasRecorded',
  (version: number) => sql<{ recorded: boolean }>`
    select exists (select from audit_events where subject = 'master-key' and kind = 'master-key.rotated'
                      and (data ->> 'to_version')::int = ${version}) as recorded`,
);
