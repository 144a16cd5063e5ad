import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from '../helpers/database.ts';
import { declaredIn, Description, MODULES } from '../helpers/declared-queries.ts';
import { testEnvironment } from '../helpers/environment.ts';

const SECRET = `secret-${randomUUID()}`;
const log = () => readFile(join(testEnvironment().dir, 'postgres.log'), 'utf8');

let database: TestDatabase;
let client: pg.Client;
let stranger: pg.Client;
const typeNames = new Map<number, string>();

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ oid: number; typname: string }>('select oid::int, typname from pg_type');
  for (const { oid, typname } of rows) typeNames.set(oid, typname);
  await client.query('revoke all on all tables in schema public from ringfence_service');
  await client.query('revoke all on all functions in schema public from ringfence_service, public');
  stranger = new pg.Client({ connectionString: database.url });
  await stranger.connect();
});
afterAll(async () => {
  await stranger.end();
  await client.end();
  await database.drop();
});

/** A value for a parameter: the secret, if any text is allowed. */
function valueOf(oid: number): unknown {
  const type = typeNames.get(oid)!;
  if (type.startsWith('_')) return [];
  if (type === 'text' || type === 'varchar') return SECRET;
  if (type === 'json' || type === 'jsonb') return JSON.stringify({ secret: SECRET });
  if (type === 'date' || type === 'timestamptz') return '2026-01-31';
  if (type === 'bool') return true;
  if (type === 'bytea') return Buffer.from(SECRET);
  return 1;
}

test.each(MODULES)("PostgreSQL's log shows the text of a failed query of %s, and none of its values", async (file) => {
  const before = (await log()).length;
  const declared = await declaredIn(file);
  let failed = 0;
  for (const { statement } of declared) {
    const { parameters } = await client.query(new Description(statement.text)).described;
    const values = parameters.map(valueOf);
    await stranger.query({ text: statement.text, values }).catch(() => (failed += 1));
  }
  expect(failed).toBeGreaterThan(0);
  const written = (await log()).slice(before);
  expect(written).toContain('permission denied');
  expect(written).not.toContain(SECRET);
});
