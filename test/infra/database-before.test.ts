import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../infra/admin/run.ts';
import { prepareDatabase } from '../../infra/admin/prepare-database.ts';
import { startApi } from '../helpers/api.ts';
import { readDatabaseBefore, restoreDatabaseBefore } from '../helpers/database-before.ts';
import { testEnvironment } from '../helpers/environment.ts';

const before = await readDatabaseBefore();
const keyFile = join(testEnvironment().dir, 'before', 'master.json');
const admin = (...args: string[]) =>
  runCommand(args, {
    RINGFENCE_ENV: 'sandbox',
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE: keyFile,
    DATABASE_URL: url,
    DATABASE_MIGRATION_URL: migrationUrl,
  });
let url = '';
let migrationUrl = '';

const api = startApi({
  env: { MASTER_KEY_FILE: keyFile, RINGFENCE_PUBLIC_URL: 'https://localhost:18443' },
  async database() {
    await mkdir(join(keyFile, '..'), { recursive: true });
    await writeFile(keyFile, JSON.stringify(before.master_keys), { mode: 0o600 });
    const database = await restoreDatabaseBefore(before);
    [url, migrationUrl] = [database.url, database.ownerUrl];
    await prepareDatabase({ database: { url, migrationUrl } }, undefined);
    await admin('upgrade', 'finish');
    return database;
  },
});

// A newer version may add fields to its responses.
const atLeast = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(atLeast);
  if (typeof answer !== 'object' || answer === null) return answer;
  const members = Object.entries(answer).map(([name, value]) => [name, atLeast(value)]);
  return expect.objectContaining(Object.fromEntries(members) as object);
};

describe('a database of the previous version', () => {
  test.each(before.answers)('answers GET $path as before', async ({ path, answer }) => {
    const now = await api.get(path, { token: before.callers.key });
    expect(now.status).toBe(200);
    expect(now.body).toEqual(atLeast(answer));
  });

  test('lets people sign in with their passwords', async () => {
    const { email, password, user_id } = before.callers.person;
    const login = await api.post('/api/v1/auth/login', { body: { email, password } });
    expect(login.status).toBe(200);
    const me = await api.get('/api/v1/auth/me', { token: login.body.access_token });
    expect(me.body).toMatchObject({ user_id, email });
  });

  test('can still move money', async () => {
    const { key: token, owner: user_id } = before.callers;
    const { body } = await api.get(`/api/v1/allocations/vaults/${user_id}`, { token });
    const request = { user_id, vault_type: 'SAVINGS', amount: 1_234 };
    expect((await api.post('/api/v1/allocations/allocate', { token, body: request })).status).toBe(201);
    const after = await api.get(`/api/v1/allocations/vaults/${user_id}`, { token });
    expect(after.body.safe_to_spend).toBe(body.safe_to_spend - 1_234);
  });

  test('has a ledger and an audit log that verify', async () => {
    for (const what of ['ledger', 'audit']) expect(await admin(what, 'verify')).toMatchObject({ exitCode: 0 });
  });
});
