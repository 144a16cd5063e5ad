import { query, type TextQuery as Query } from '../sql.ts';

/** A record that is sealed under a version of the master key. */
export interface SealedRow {
  id: string;
  version: number;
  sealed: string;
}

/** A table that keeps what is sealed under the master keys. */
export interface SealedTable {
  /** How many records are under a version older than $1. */
  countOlder: Query<{ count: number }>;
  /** Records under versions older than $1, after version $2 and id $3, at most $4, by version and id. */
  pageOlder: Query<SealedRow>;
  /** Version, ids, what was sealed, what is: a record that was erased or changed meanwhile stays as it is. */
  replace: Query;
  /** How many records are under each version. */
  countEach: Query<{ version: number; count: number }>;
}

const BEGINNING = '{"key":{"version":';

/** The version as the sealed text tells it; null for any other text. Not by a pattern, which takes many times as long. */
function versionOf(sealed: string): string {
  const digits = `split_part(substr(${sealed}, ${BEGINNING.length + 1}, 9), ',', 1)`;
  return `case when starts_with(${sealed}, '${BEGINNING}') and translate(${digits}, '0123456789', '') = ''
               then nullif(${digits}, '')::int end`;
}

/**
 * Everything that is sealed under the master keys and kept for longer than a day. What stands here is wrapped anew when the
 * master keys rotate, and keeps a version from being retired.
 */
export const SEALED_TABLES = {
  vault_records: largeTable('vault_records', { id: 'vault_ref', sealed: 'sealed' }),
  documents: largeTable('documents', { id: 'doc_id', sealed: 'key_sealed' }),
  sign_in_providers: smallTable('sign_in_providers', {
    id: 'provider_id',
    sealed: 'client_secret_sealed',
    where: 'removed_at is null',
  }),
  sealed_secrets: smallTable('sealed_secrets', { id: 'name', sealed: 'sealed', where: 'true' }),
} as const satisfies Record<string, SealedTable>;

export type SealedTableName = keyof typeof SEALED_TABLES;

/** A table of many rows, which has the version in a column of its own as well, by which they are found. */
function largeTable(table: string, { id, sealed }: { id: string; sealed: string }): SealedTable {
  return {
    countOlder: query(
      `vaultKeys.countOlder.${table}`,
      `select count(*) as count from ${table} where key_version < $1 and ${sealed} is not null`,
    ),
    pageOlder: query(
      `vaultKeys.pageOlder.${table}`,
      `select ${id} as id, key_version as version, ${sealed} as sealed from ${table}
        where key_version < $1 and (key_version, ${id}) > ($2, $3) and ${sealed} is not null
        order by key_version, ${id} limit $4`,
    ),
    replace: query(
      `vaultKeys.replace.${table}`,
      `update ${table} r set ${sealed} = fresh.sealed, key_version = $1
         from unnest($2::text[], $3::text[], $4::text[]) as fresh (id, stale, sealed)
        where r.${id} = fresh.id and r.${sealed} = fresh.stale`,
    ),
    countEach: query(
      `vaultKeys.countEach.${table}`,
      `select version, count(*) as count from (select ${versionOf(sealed)} as version from ${table}) r
        where version is not null group by 1`,
    ),
  };
}

/** A table of few rows, whose version is in the sealed text only. */
function smallTable(table: string, { id, sealed, where }: { id: string; sealed: string; where: string }): SealedTable {
  const rows = `(select ${id} as id, ${versionOf(sealed)} as version, ${sealed} as sealed from ${table} where ${where}) r`;
  return {
    countOlder: query(`vaultKeys.countOlder.${table}`, `select count(*) as count from ${rows} where version < $1`),
    pageOlder: query(
      `vaultKeys.pageOlder.${table}`,
      `select id, version, sealed from ${rows}
        where version < $1 and (version, id) > ($2, $3) order by version, id limit $4`,
    ),
    replace: query(
      `vaultKeys.replace.${table}`,
      `update ${table} r set ${sealed} = fresh.sealed
         from unnest($2::text[], $3::text[], $4::text[]) as fresh (id, stale, sealed)
        where r.${id} = fresh.id and r.${sealed} = fresh.stale and $1::int is not null`,
    ),
    countEach: query(
      `vaultKeys.countEach.${table}`,
      `select version, count(*) as count from ${rows} where version is not null group by 1`,
    ),
  };
}

/** How many stored answers that still count are under each version; they are gone after a day and not wrapped anew. */
export const countEachAnswer = query<{ version: number; count: number }>(
  'vaultKeys.countEachAnswer',
  `select version, count(*) as count
     from (select ${versionOf('body')} as version from idempotency_records
            where created_at > now() - interval '24 hours') r
    where version is not null group by 1`,
);

/** Name, sealed. Writes nothing where the secret is there. */
export const insertSecret = query(
  'vaultKeys.insertSecret',
  'insert into sealed_secrets (name, sealed, created_at) values ($1, $2, now()) on conflict (name) do nothing',
);

export const secretByName = query<{ sealed: string }>(
  'vaultKeys.secretByName',
  'select sealed from sealed_secrets where name = $1',
);

/** One at a time until the end of the transaction, over all processes: whoever tells of a change of the master keys. */
export const lockMasterKeys = query(
  'vaultKeys.lock',
  `select pg_advisory_xact_lock(hashtextextended('master-key', 0))`,
);

/** Whether it was told that this version became current. */
export const rotationWasTold = query<{ told: boolean }>(
  'vaultKeys.rotationWasTold',
  `select exists (select from audit_events where subject = 'master-key' and kind = 'master-key.rotated'
                     and (data ->> 'to_version')::int = $1) as told`,
);
