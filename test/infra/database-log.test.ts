import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startApi } from '../helpers/api.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { administer, ownerUrl } from '../helpers/postgres.ts';

const api = startApi();
const log = () => readFile(join(testEnvironment().dir, 'postgres.log'), 'utf8');
const change = (statement: string) => administer(ownerUrl(api.services.config.database.url), statement);

// These secrets must not appear in PostgreSQL's log.
const PASSWORD = 'a passphrase that only this test knows';
const EMAIL = 'nobody-else@example.test';
const ACCOUNT = { sort_code: '401276', account_number: '73829104' };

async function storeSecrets(token: string, vaultKey: string): Promise<number[]> {
  const data = { ...ACCOUNT, account_holder_name: 'Ada King' };
  const payee = { name: 'Northern Energy', category: 'UTILITIES', ...ACCOUNT };
  const calls = [
    api.post('/api/v1/auth/register', { body: { email: EMAIL, password: PASSWORD } }),
    api.post('/api/v1/auth/login', { body: { email: 'user-1@example.test', password: 'a long enough passphrase' } }),
    api.post('/api/v1/vault/store', { vaultKey, body: { owner_id: 'emp-1', pii_type: 'employee_bank', data } }),
    api.post('/api/v1/payments/providers', { token, body: payee, headers: { 'idempotency-key': PASSWORD } }),
  ];
  return (await Promise.all(calls)).map(({ status }) => status);
}

test.each(['users', 'vault_records', 'token_families', 'access_tokens', 'idempotency_records', 'payees'])(
  "PostgreSQL's log shows no secret and nothing personal after a row of %s failed a check",
  async (table) => {
    const user = await api.registerUser();
    const vaultKey = await api.apiKey(['write:vault']);
    const before = (await log()).length;
    await change(`alter table ${table} add constraint planted check (false) not valid`);
    const statuses = await storeSecrets(user.token, vaultKey);
    await change(`alter table ${table} drop constraint planted`);
    expect(statuses).toContain(500);
    const written = (await log()).slice(before);
    expect(written).toContain('planted');
    const secrets = [PASSWORD, EMAIL, ...Object.values(ACCOUNT), 'Northern Energy', '$argon2', '"version":', '\\x'];
    for (const secret of [...secrets, 'Failing row']) expect(written).not.toContain(secret);
  },
);
