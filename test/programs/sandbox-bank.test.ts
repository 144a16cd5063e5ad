import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '../../infra/keys/pki.ts';
import { bankClient, type Way } from '../helpers/bank-customer.ts';
import { startSandboxBank, type SandboxBankProcess } from '../helpers/sandbox-bank.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-bank-'));
let bank: SandboxBankProcess;
const clients: Awaited<ReturnType<typeof bankClient>>[] = [];
const client = async (options?: { tls: boolean }) => {
  const opened = await bankClient(dataDir, bank.config.url, options);
  clients.push(opened);
  return opened;
};

beforeAll(async () => {
  await ensurePki(join(dataDir, 'pki'));
  bank = await startSandboxBank(dataDir, { env: { SANDBOX_BANK_INSTANT_MS: '0' } });
});
afterAll(async () => {
  await Promise.all(clients.map(({ close }) => close()));
  await bank.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const READING = {
  Data: {
    Permissions: [
      'ReadAccountsDetail',
      'ReadBalances',
      'ReadTransactionsDetail',
      'ReadTransactionsCredits',
      'ReadTransactionsDebits',
    ],
  },
  Risk: {},
};

test.each<[string, boolean, Way]>([
  ['private_key_jwt, pushed, fragment', false, { push: true, mode: 'fragment' }],
  ['private_key_jwt, signed URL, form_post', false, { push: false, mode: 'form_post' }],
  ['tls_client_auth, pushed, form_post', true, { push: true, mode: 'form_post' }],
  ['tls_client_auth, signed URL, fragment', true, { push: false, mode: 'fragment' }],
])('a customer approves a consent: %s', async (_name, tls, way) => {
  const us = await client({ tls });
  const own = await us.token('accounts');
  const { body } = await us.call('POST', '/account-access-consents', own, READING);
  expect(body.Data.Status).toBe('AWAU');
  const consentId = body.Data.ConsentId as string;
  const tokens = await us.authorise({ consentId, scope: 'accounts', customer: 'usr_1', way });
  expect(tokens.claims()).toMatchObject({ openbanking_intent_id: consentId });
  expect((await us.call('GET', `/account-access-consents/${consentId}`, own)).body.Data.Status).toBe('AUTH');
  const { body: accounts } = await us.call('GET', '/accounts', tokens.access_token);
  expect(accounts.Data.Account).toHaveLength(3);
});
