import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import { migrate } from '../../infra/db/migrate.ts';
import { migrations } from '../../infra/db/migrations/index.ts';
import type { TestDatabase } from './database.ts';
import { testEnvironment } from './environment.ts';
import { administer, dropDatabase, serviceUrl, urlOf } from './postgres.ts';

/** The business clock's time when the database was saved. */
const BUSINESS_TIME = '2027-05-25T00:45:00Z';

interface DatabaseBefore {
  migrated_to: string;
  master_keys: object;
  callers: {
    key: string;
    person: { email: string; password: string; user_id: string };
    owner: string;
    credential_id: string;
  };
  answers: { path: string; answer: unknown }[];
  sequences: Record<string, number>;
  tables: Record<string, Record<string, unknown>[]>;
}

export async function readDatabaseBefore(): Promise<DatabaseBefore> {
  const file = resolve(import.meta.dirname, '../infra/database-before.json');
  return JSON.parse(await readFile(file, 'utf8')) as DatabaseBefore;
}

export async function restoreDatabaseBefore(before: DatabaseBefore): Promise<TestDatabase> {
  const { databaseUrl } = testEnvironment();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(databaseUrl, `create database ${name}`);
  const url = urlOf(databaseUrl, name);
  const last = migrations.findIndex((migration) => migration.name === before.migrated_to);
  if (last === -1) throw new Error(`there is no migration ${before.migrated_to}`);
  await migrate({ database: { url } }, migrations.slice(0, last + 1));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The rows already include the effects of triggers.
    const names = Object.keys(before.tables);
    for (const table of names) await client.query(`alter table ${table} disable trigger user`);
    const ordered = await inOrder(client, names);
    for (const table of ordered.toReversed()) await client.query(`delete from ${table}`);
    for (const table of ordered) {
      const rows = before.tables[table]!;
      const columns = Object.keys(rows[0]!).join(', ');
      await client.query(
        `insert into ${table} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(rows)],
      );
    }
    // At the saved time, no credential has expired.
    await client.query(
      'update business_clock set offset_ms = extract(epoch from $1::timestamptz - now())::bigint * 1000',
      [BUSINESS_TIME],
    );
    for (const table of names) await client.query(`alter table ${table} enable trigger user`);
    for (const [sequence, last] of Object.entries(before.sequences))
      if (last > 0) await client.query('select setval($1, $2)', [sequence, last]);
  } finally {
    await client.end();
  }
  return { url: serviceUrl(url), ownerUrl: url, drop: () => dropDatabase(databaseUrl, name) };
}

async function inOrder(client: pg.Client, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ table: string; names: string }>(
    `select conrelid::regclass::text as table, confrelid::regclass::text as names
       from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  );
  const ordered: string[] = [];
  const add = (table: string) => {
    if (ordered.includes(table) || !names.includes(table)) return;
    for (const key of rows) if (key.table === table) add(key.names);
    ordered.push(table);
  };
  names.forEach(add);
  return ordered;
}
