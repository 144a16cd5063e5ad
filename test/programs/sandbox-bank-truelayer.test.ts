import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch as undiciFetch } from 'undici';
import type { Bank } from '../../infra/bank/interface.ts';
import { openBank } from '../../infra/bank/truelayer-v1/index.ts';
import { switchesBody } from '../../programs/sandbox-bank/truelayer/switches.ts';
import { decideAtBank } from '../helpers/bank-customer.ts';
import { newBankFolder, startSandboxBank } from '../helpers/sandbox-bank.ts';

const REDIRECT_URI = 'https://localhost:8443/api/v1/bank/callback';
const SCOPE = 'accounts balance transactions cards offline_access';
const DAY_MS = 86_400_000;
const env = { SANDBOX_BANK_UNATTENDED_READS_PER_DAY: '4' };
const dataDir = await newBankFolder();
const pki = (file: string) => readFileSync(join(dataDir, 'pki', file), 'utf8');
const [ca, secret] = [pki('ca.crt'), pki('truelayer-client-secret').trim()];
const agent = new Agent({ connect: { ca } });
let bank = await startSandboxBank(dataDir, { env });

afterAll(async () => {
  await agent.destroy();
  await bank.stop();
});

interface Sent {
  method?: string;
  token?: string;
  form?: Record<string, string>;
  json?: object;
  attended?: boolean;
}

async function send(path: string, { method, token, form, json, attended = true }: Sent = {}) {
  const response = await undiciFetch(`${bank.config.url}${path}`, {
    method: method ?? (form === undefined ? 'GET' : 'POST'),
    dispatcher: agent,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(attended && { 'x-psu-ip': '192.0.2.1' }),
    },
    ...(form !== undefined && { body: new URLSearchParams(form) }),
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const body = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null;
  return { status: response.status, text, body };
}

const sandbox = async (method: string, path: string, json?: object) =>
  (await send(`/sandbox/${path}`, { method, ...(json && { json }) })).body;
const credit = (owner_id: string, more: object = {}) =>
  sandbox('POST', 'credits', { owner_id, amount: 2_500, payer: 'ACME', reference: 'PAY', ...more });
const switchOn = (owner_id: string, switches: object) =>
  send('/sandbox/switches', { method: 'PUT', json: { owner_id, switches } });
const newCustomer = () => `usr_${randomUUID()}`;

const usual = {
  response_type: 'code',
  client_id: 'ringfence',
  redirect_uri: REDIRECT_URI,
  scope: SCOPE,
  providers: 'uk-ob-all',
  response_mode: 'form_post',
  code_challenge_method: 'S256',
};
const linkTo = (parameters: Record<string, string>) =>
  `/truelayer/auth/?${new URLSearchParams(parameters).toString().replaceAll('+', '%20')}`;

/** What the browser of the customer brings back. */
async function journey(
  customer: string,
  changes: Record<string, string> = {},
  decision: 'approve' | 'refuse' = 'approve',
) {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const link = linkTo({ ...usual, state, code_challenge, ...changes });
  const answer = await decideAtBank(new URL(link, bank.config.url), { customer, decision, ca });
  const fields = answer instanceof URL ? answer.searchParams : new URLSearchParams(await answer.text());
  return { link, verifier, state, by: answer instanceof URL ? 'query' : 'form', answer: Object.fromEntries(fields) };
}

const tokens = async (form: Record<string, string>) =>
  send('/truelayer/auth/connect/token', { form: { client_id: 'ringfence', client_secret: secret, ...form } });
const redeem = (code: string, verifier: string, changes: Record<string, string> = {}) =>
  tokens({ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code, code_verifier: verifier, ...changes });
const refresh = (token: string) => tokens({ grant_type: 'refresh_token', refresh_token: token });

async function connected(customer = newCustomer()) {
  const { answer, verifier } = await journey(customer);
  const { body } = await redeem(answer['code']!, verifier);
  const token = body.access_token as string;
  const read = (path: string, sent: Sent = {}) => send(`/truelayer/api/data/v1/${path}`, { token, ...sent });
  const { results } = (await read('accounts')).body;
  const current = results[0].account_id as string;
  const rows = async (query = '') => (await read(`accounts/${current}/transactions${query}`)).body.results;
  return { customer, token, refreshToken: body.refresh_token as string, read, rows, current };
}

const errorOf = ({ status, body }: Awaited<ReturnType<typeof send>>) => `${status} ${body?.error}`;

test.each([
  ['form', {}],
  ['query', { response_mode: 'query', provider_id: 'ob-sandbox' }],
])('a journey ends by %s with a code that is good once, from which come tokens that rotate', async (by, changes) => {
  const customer = newCustomer();
  const { link, verifier, ...made } = await journey(customer, changes);
  const code = made.answer['code']!;
  expect(made).toEqual({ by, state: made.state, answer: { state: made.state, code } });
  expect((await send(link)).text).toContain('used before');
  for (const [name, wrong] of [
    ['code_verifier', 'x'.repeat(43)],
    ['redirect_uri', `${REDIRECT_URI}/`],
  ] as const)
    expect(errorOf(await redeem(code, verifier, { [name]: wrong }))).toBe('400 invalid_grant');
  expect(errorOf(await redeem(code, verifier, { client_secret: 'guessed' }))).toBe('401 invalid_client');
  const first = await redeem(code, verifier);
  expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, refresh_token: expect.any(String) });
  const me = (token: string) => send('/truelayer/api/data/v1/me', { token });
  const [{ credentials_id, ...whose }] = (await me(first.body.access_token)).body.results;
  expect(whose).toMatchObject({ consent_status: 'Authorised', provider: { provider_id: 'ob-sandbox' } });
  expect(Date.parse(whose.consent_expires_at) - Date.now()).toBeCloseTo(90 * DAY_MS, -6);
  expect((await sandbox('GET', `consents?owner_id=${customer}`)).items).toMatchObject([
    { consent_id: credentials_id, api: 'truelayer-v1', kind: 'accounts', status: 'AUTH' },
  ]);
  const second = await refresh(first.body.refresh_token);
  const asked = [first, second].map(({ body }) => me(body.access_token));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 200]);
  expect(errorOf(await refresh(first.body.refresh_token))).toBe('400 invalid_grant');
  expect(errorOf(await redeem(code, verifier))).toBe('400 invalid_grant');
});

test('a journey that is refused, has no PKCE or leads elsewhere makes no consent', async () => {
  const customer = newCustomer();
  const { answer, state } = await journey(customer, {}, 'refuse');
  expect(answer).toEqual({ error: 'access_denied', error_description: expect.any(String), state });
  const { code_challenge_method: _method, ...bare } = usual;
  expect((await send(linkTo(bare))).text).toContain('invalid_request');
  const elsewhere = await send(linkTo({ ...usual, redirect_uri: 'https://a.example' }));
  expect([elsewhere.status, elsewhere.text]).toEqual([400, expect.stringContaining('invalid_redirect_uri')]);
  expect((await sandbox('GET', `consents?owner_id=${customer}`)).items).toEqual([]);
});

test('of its banks, the client shows those of the United Kingdom but for the mock, and a diagnosis ends at a wrong secret', async () => {
  const { body } = await send('/truelayer/auth/api/providers?client_id=ringfence');
  const listed = body.map(({ provider_id, country }: Record<string, string>) => `${provider_id} ${country}`);
  expect(listed).toEqual(['ob-sandbox uk', 'mock uk', 'ob-sandbox-ie ie']);
  expect(errorOf(await send('/truelayer/auth/api/providers?client_id=other'))).toBe('400 invalid_client');
  const entry = bank.config.entries.find(({ api }) => api === 'truelayer-v1');
  if (entry?.api !== 'truelayer-v1') throw new Error('the sandbox has no aggregator');
  const client_secret_file = join(dataDir, 'wrong');
  writeFileSync(client_secret_file, 'wrong');
  const [port, stranger] = [
    await openBank(entry, bank.config),
    await openBank({ ...entry, client_secret_file }, bank.config),
  ];
  expect(await port.institutions()).toEqual([{ institutionId: 'ob-sandbox', name: 'Sandbox Bank', country: 'GB' }]);
  const good = ['institutions: true', 'client secret: true', 'dry request for accounts: true'];
  const steps = [await stepsOf(port), await stepsOf(stranger)];
  expect(steps).toEqual([good, ['institutions: true', 'client secret: false']]);
  await Promise.all([port, stranger].map((one) => one.close()));
});

async function stepsOf(port: Bank, steps: string[] = []): Promise<string[]> {
  for await (const { step, ok } of port.diagnose()) steps.push(`${step}: ${ok}`);
  return steps;
}

describe('reading', () => {
  test('shows the rows of the books, with the signs of accounts and of cards', async () => {
    const { customer, read, rows, current } = await connected();
    await credit(customer, { booked_on: '2026-06-01' });
    await credit(customer, { amount: 700, payer: undefined, reference: 'MOVE', from_account: 'savings' });
    await credit(customer, { amount: -1_050, account: 'card', payer: 'SHOP' });
    const [card] = (await read('cards')).body.results;
    expect(card).toMatchObject({ currency: 'GBP', partial_card_number: expect.stringMatching(/^\d{4}$/) });
    expect((await read(`cards/${card.account_id}/balance`)).body.results).toMatchObject([{ current: 133.95 }]);
    expect((await read(`cards/${card.account_id}/transactions`)).body.results).toMatchObject([
      { amount: 10.5, transaction_type: 'DEBIT', merchant_name: 'SHOP' },
    ]);
    expect(await rows(`?from=2026-05-31&to=${new Date().toISOString()}`)).toMatchObject([
      { amount: 7, transaction_type: 'CREDIT', currency: 'GBP', description: 'MOVE' },
      { amount: 25, timestamp: '2026-06-01T11:00:00.000Z', meta: { counter_party_preferred_name: 'ACME' } },
    ]);
    const ids = async (name: string) => (await rows()).map((row: Row) => row[name]);
    expect(await ids('normalised_provider_transaction_id')).toEqual(await ids('normalised_provider_transaction_id'));
    expect(await ids('transaction_id')).not.toEqual(await ids('transaction_id'));
    expect((await read(`accounts/${current}/transactions/pending`)).body).toEqual({ results: [], status: 'Succeeded' });
  });

  test('is refused with the errors of the API', async () => {
    const { read, current } = await connected();
    const dates = `accounts/${current}/transactions?from=`;
    const expected = Object.entries({
      [`${dates}2026-06-02&to=2026-06-01`]: '400 invalid_date_range',
      [`${dates}2026-06-02`]: '400 invalid_date_range',
      'accounts/other/balance': '404 account_not_found',
      [`cards/${current}/balance`]: '404 account_not_found',
      [`accounts/${current}/standing_orders`]: '501 endpoint_not_supported',
    });
    for (const [path, error] of expected) expect(errorOf(await read(path))).toBe(error);
    expect(errorOf(await read('me', { token: 'guessed' }))).toBe('401 invalid_token');
    const narrow = await journey(newCustomer(), { scope: 'accounts' });
    const { body } = await redeem(narrow.answer['code']!, narrow.verifier);
    expect(body.refresh_token).toBeUndefined();
    expect(errorOf(await read('cards', { token: body.access_token }))).toBe('403 access_denied');
  });

  test('without the customer is limited to the set number a day, and all of it is on record', async () => {
    const { customer, read, current } = await connected();
    const path = `accounts/${current}/balance`;
    const asked = [false, false, true, false, false, false, true];
    const statuses: unknown[] = [];
    for (const attended of asked) statuses.push((await read(path, { attended })).body.error ?? 200);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 'unattended_calls_limit_exceeded', 200]);
    const { items } = await sandbox('GET', `calls?owner_id=${customer}`);
    const read7 = items.filter((call: { path: string }) => call.path.endsWith('/balance')).reverse();
    expect(read7.map(({ attended }: { attended: boolean }) => attended)).toEqual(asked);
    expect(read7[0]).toMatchObject({ api: 'truelayer-v1', method: 'GET', path: `/data/v1/${path}`, status: 200 });
  });

  test('ends with a consent that is 90 days old', async () => {
    const { customer, token, read, refreshToken } = await connected();
    await sandbox('PUT', 'clock', { offset_ms: 90 * DAY_MS + 1_000 });
    const deleted = await send('/truelayer/auth/api/delete', { method: 'DELETE', token });
    const answers = [errorOf(await read('me')), errorOf(await refresh(refreshToken)), deleted.status];
    expect(answers).toEqual(['401 invalid_token', '400 invalid_grant', 401]);
    const { items } = await sandbox('GET', `consents?owner_id=${customer}`);
    expect(items.filter(({ status }: { status: string }) => status === 'AUTH')).toEqual([]);
    await sandbox('PUT', 'clock', { offset_ms: 0 });
  });
});

type Consent = Awaited<ReturnType<typeof connected>>;
type Row = Record<string, unknown>;

/** Amounts as the text of the answer has them, with what else differs from a usual row. */
async function seen({ read, current }: Consent): Promise<string[]> {
  const { text, body } = await read(`accounts/${current}/transactions`);
  const amounts = [...text.matchAll(/"amount":([^,]+),/g)].map(([, amount]) => amount);
  return body.results.map((row: Row, index: number) =>
    [
      amounts[index],
      ...(row['transaction_type'] === 'CREDIT' ? [] : ['debit']),
      ...(row['currency'] === 'GBP' ? [] : [row['currency']]),
      ...(row['timestamp'] === undefined ? ['no time'] : []),
      ...(row['normalised_provider_transaction_id'] === undefined ? ['no id'] : []),
    ].join(' '),
  );
}

const twice = async <T>(look: () => Promise<T>) => [await look(), await look()];

/** With one credit of 2,500 pence, and one debit of 300 pence. */
async function connectedWithRows() {
  const consent = await connected();
  await credit(consent.customer);
  await credit(consent.customer, { amount: 300, account: 'savings', from_account: 'current' });
  return consent;
}

test('switches that no sync shows do what they say', async () => {
  const consent = await connectedWithRows();
  const { customer, read, current } = consent;
  await switchOn(customer, { query_answer: true, shuffle: true, shared_number: true });
  expect((await journey(customer)).by).toBe('query');
  const orders = new Set<string>();
  while (orders.size < 2) orders.add((await seen(consent)).join());
  expect([...orders].sort()).toEqual(['-3.00 debit,25.00', '25.00,-3.00 debit']);
  const { results } = (await read('accounts')).body;
  const numbers = results.map((one: Row) => JSON.stringify(one['account_number']));
  expect(new Set(numbers).size).toBe(2);
  await switchOn(customer, { pending_twin: true });
  const pending = (await read(`accounts/${current}/transactions/pending`)).body.results;
  const [{ transaction_id: _id, ...booked }] = await consent.rows();
  expect(pending).toMatchObject([booked]);
});

test('switches work all together, are refused by wrong names and values, and outlive a kill -9', async () => {
  const before = await connectedWithRows();
  const { customer, refreshToken } = before;
  for (const wrong of [{ other: true }, { sca: 1 }, { throttle: true }, { lost_refresh: 0 }])
    expect((await switchOn(customer, wrong)).status).toBe(400);
  const all = Object.keys(switchesBody.shape.switches.shape).map((name) => [name, true]);
  await switchOn(customer, { ...Object.fromEntries(all), lost_refresh: 1, throttle: 1 });
  await expect(refresh(refreshToken)).rejects.toThrow();
  await bank.kill();
  bank = await startSandboxBank(dataDir, { env, port: bank.port });
  const { access_token: token } = (await refresh(refreshToken)).body;
  const read: Consent['read'] = (path) => before.read(path, { token });
  expect(await twice(async () => (await read('accounts')).status)).toEqual([429, 200]);
  const once = ['-11.11 no id', '0.30000000000000004 no id', '1.005 no id', '1.2345e3 no id', '11.11 EUR no id'];
  once.push('11.11 no id', '11.11 no time no id', '1234.50 no id', '25.00 no id', '3.00 debit no id');
  const [first, second] = await twice(async () => (await seen({ ...before, read })).sort());
  expect(first).toEqual([...once, ...once, '11.11 no id', '11.11 no id', '11.11', '11.11'].sort());
  expect(second).toEqual([...once, ...once, '11.11', '11.11', '22.22', '22.22'].sort());
});
