import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { declaredIn, Description, MODULES } from '../helpers/declared-queries.ts';
import { withDescribedDatabase } from '../helpers/described-database.ts';
import { testEnvironment } from '../helpers/environment.ts';

const SECRET = `secret-${randomUUID()}`;
const log = () => readFile(join(testEnvironment().dir, 'postgres.log'), 'utf8');

const described = withDescribedDatabase();
let stranger: pg.Client;

beforeAll(async () => {
  await described.client.query('revoke all on all tables in schema public from ringfence_service');
  await described.client.query('revoke all on all functions in schema public from ringfence_service, public');
  stranger = await described.connectAsService();
});

// The secret, if the type allows any text.
function valueOf(oid: number): unknown {
  const type = described.typeNames.get(oid)!;
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
    const { parameters } = await described.client.query(new Description(statement.text)).described;
    const values = parameters.map(valueOf);
    await stranger.query({ text: statement.text, values }).catch(() => (failed += 1));
  }
  expect(failed).toBeGreaterThan(0);
  const written = (await log()).slice(before);
  expect(written).toContain('permission denied');
  expect(written).not.toContain(SECRET);
});
