import pg from 'pg';
import { migrate } from '../../infra/db/migrate.ts';
import type { MigrationClass } from '../../infra/db/migrations/index.ts';
import { REPEATABLE_FILES } from '../../infra/db/schema-files.ts';

interface Catalogue {
  /** Columns by `table.column`. `required` means that an insert must give a value. */
  columns: Map<string, { type: string; required: boolean; nullable: boolean }>;
  tables: Set<string>;
  /** Each table's file number, which changes if PostgreSQL rewrites all rows. */
  storage: Map<string, number>;
  indexes: Map<string, { table: string; valid: boolean }>;
  /** `validated` means that PostgreSQL checked the existing rows. */
  constraints: Map<string, { table: string; validated: boolean; kind: string }>;
}

/**
 * Applies one migration, which may drop the tables and columns in its `removes`.
 * @returns the changes that would break the previous version, which is still serving.
 */
export async function faultsOf(url: string, before: readonly MigrationClass[], one: MigrationClass): Promise<string[]> {
  const then = await catalogueOf(url);
  await migrate({ database: { url } }, { migrations: [...before, one], files: REPEATABLE_FILES });
  const now = await catalogueOf(url);
  const removes = new Set(one.removes ?? []);
  const old = (table: string) => then.tables.has(table);
  const faults: string[] = [];

  for (const table of then.tables) {
    if (!now.tables.has(table) && !removes.has(table)) faults.push(`${table} is gone or has another name`);
    const [was, is] = [then.storage.get(table), now.storage.get(table)];
    if (is !== undefined && is !== was) faults.push(`${table} is written anew, and nobody reads it meanwhile`);
  }
  for (const [name, { type, nullable }] of then.columns) {
    const is = now.columns.get(name);
    const table = name.split('.', 1)[0]!;
    if (!now.tables.has(table)) continue;
    if (is === undefined) {
      if (!removes.has(name)) faults.push(`${name} is gone or has another name`);
    } else if (is.type !== type) faults.push(`${name} was ${type} and is ${is.type}`);
    else if (nullable && !is.nullable) faults.push(`${name} may no longer be null, as the version before leaves it`);
  }
  for (const [name, { required }] of now.columns) {
    if (required && old(name.split('.', 1)[0]!) && then.columns.get(name)?.required !== true)
      faults.push(`${name} has to be given, and the version before does not know it`);
  }
  for (const [name, { table, valid }] of now.indexes) {
    if (!valid) faults.push(`${name} was left half made`);
    if (old(table) && !then.indexes.has(name) && new one(...NOTHING).isTransactional())
      faults.push(`${name} is made in a transaction, and nobody writes to ${table} meanwhile`);
  }
  for (const [name, { table, validated, kind }] of now.constraints) {
    if (!old(table) || then.constraints.has(name)) continue;
    if (validated && (kind === 'c' || kind === 'f'))
      faults.push(
        `${name} looks at every row of ${table} under its lock: add it NOT VALID, validate it in the next one`,
      );
  }
  return faults;
}

// `isTransactional()` does not use the constructor's arguments.
const NOTHING = [undefined, undefined] as unknown as ConstructorParameters<MigrationClass>;

async function catalogueOf(url: string): Promise<Catalogue> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const rows = async <Row>(text: string) => (await client.query(text)).rows as Row[];
    const columns = await rows<{ name: string; type: string; required: boolean; nullable: boolean }>(
      `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
              a.attnotnull and not a.atthasdef and a.attidentity = '' as required
         from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
    );
    const tables = await rows<{ name: string; node: number }>(
      `select relname as name, relfilenode::int as node from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    const indexes = await rows<{ name: string; table: string; valid: boolean }>(
      `select i.relname as name, t.relname as table, x.indisvalid as valid
         from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
        where t.relnamespace = 'public'::regnamespace`,
    );
    const constraints = await rows<{ name: string; table: string; validated: boolean; kind: string }>(
      `select k.conname as name, t.relname as table, k.convalidated as validated, k.contype::text as kind
         from pg_constraint k join pg_class t on t.oid = k.conrelid where t.relnamespace = 'public'::regnamespace`,
    );
    return {
      columns: new Map(columns.map(({ name, ...column }) => [name, column])),
      tables: new Set(tables.map(({ name }) => name)),
      storage: new Map(tables.map(({ name, node }) => [name, node])),
      indexes: new Map(indexes.map(({ name, ...index }) => [name, index])),
      constraints: new Map(constraints.map(({ name, table, ...rest }) => [`${table}.${name}`, { table, ...rest }])),
    };
  } finally {
    await client.end();
  }
}
