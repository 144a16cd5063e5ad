import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch as undiciFetch } from 'undici';
import { ensurePki } from '../../infra/keys/pki.ts';
import { switchesBody } from '../../programs/sandbox-bank/truelayer/switches.ts';
import { decideAtBank } from '../helpers/bank-customer.ts';
import { startSandboxBank, type SandboxBankProcess } from '../helpers/sandbox-bank.ts';

const REDIRECT_URI = 'https://localhost:8443/api/v1/bank/callback';
const SCOPE = 'accounts balance transactions cards offline_access';
const FAILED = { results: [], status: 'Failed' };
const DAY_MS = 86_400_000;
const env = { SANDBOX_BANK_UNATTENDED_READS_PER_DAY: '4' };
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-truelayer-'));
let bank: SandboxBankProcess;
let agent: Agent;
let ca: string;
let secret: string;

beforeAll(async () => {
  await ensurePki(join(dataDir, 'pki'));
  const pki = (file: string) => readFileSync(join(dataDir, 'pki', file), 'utf8');
  ca = pki('ca.crt');
  secret = pki('truelayer-client-secret').trim();
  agent = new Agent({ connect: { ca } });
  bank = await startSandboxBank(dataDir, { env });
});
afterAll(async () => {
  await agent.destroy();
  await bank.stop();
  rmSync(dataDir, { recursive: true, force: true });
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
  return { status: response.status, text, body, retryAfter: response.headers.get('retry-after') };
}

const sandbox = async (method: string, path: string, json?: object) =>
  (await send(`/sandbox/${path}`, { method, ...(json && { json }) })).body;
const credit = (owner_id: string, more: object = {}) =>
  sandbox('POST', 'credits', { owner_id, amount: 2_500, payer: 'ACME', reference: 'PAY', ...more });
const switchOn = (owner_id: string, switches: object) =>
  send('/sandbox/switches', { method: 'PUT', json: { owner_id, switches } });
/** The newest consent of the customer. */
const revoke = async (customer: string) => {
  const { items } = await sandbox('GET', `consents?owner_id=${customer}`);
  await sandbox('POST', `consents/${items[0].consent_id}/revoke`);
};
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
  const idOf = (name: string) => results.find((one: { display_name: string }) => one.display_name === name).account_id;
  const [current, savings] = [idOf('Current account'), idOf('Savings account')] as string[];
  const rows = async (query = '') => (await read(`accounts/${current}/transactions${query}`)).body.results;
  return { customer, token, refreshToken: body.refresh_token as string, read, rows, current, savings };
}

const errorOf = ({ status, body }: Awaited<ReturnType<typeof send>>) => `${status} ${body?.error}`;

describe('a journey', () => {
  test.each([
    ['form', {}],
    ['query', { response_mode: 'query', provider_id: 'ob-sandbox' }],
  ])('ends by %s with a code, from which come tokens that rotate', async (by, changes) => {
    const customer = newCustomer();
    const made = await journey(customer, changes);
    expect(made).toMatchObject({ by, answer: { state: made.state, code: expect.any(String) } });
    expect(Object.keys(made.answer)).toHaveLength(2);
    const first = await redeem(made.answer['code']!, made.verifier);
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
  });

  test('serves its link once, and its code once, for its secret, verifier and address', async () => {
    const { link, answer, verifier } = await journey(newCustomer());
    expect((await send(link)).text).toContain('used before');
    const code = answer['code']!;
    expect(errorOf(await redeem(code, verifier, { client_secret: 'guessed' }))).toBe('401 invalid_client');
    expect(errorOf(await redeem(code, verifier, { code_verifier: 'x'.repeat(43) }))).toBe('400 invalid_grant');
    expect(errorOf(await redeem(code, verifier, { redirect_uri: `${REDIRECT_URI}/` }))).toBe('400 invalid_grant');
    expect((await redeem(code, verifier)).status).toBe(200);
    expect(errorOf(await redeem(code, verifier))).toBe('400 invalid_grant');
    const elsewhere = await send(linkTo({ ...usual, redirect_uri: 'https://a.example' }));
    expect([elsewhere.status, elsewhere.text]).toEqual([400, expect.stringContaining('invalid_redirect_uri')]);
  });

  test('that the customer refuses, or that has no PKCE, brings back an error and makes no consent', async () => {
    const customer = newCustomer();
    const { answer, state } = await journey(customer, {}, 'refuse');
    expect(answer).toEqual({ error: 'access_denied', error_description: expect.any(String), state });
    const { code_challenge_method: _method, ...bare } = usual;
    expect((await send(linkTo(bare))).text).toContain('invalid_request');
    expect((await sandbox('GET', `consents?owner_id=${customer}`)).items).toEqual([]);
  });
});

test('the list of banks has some of other countries and kinds', async () => {
  const { body } = await send('/truelayer/auth/api/providers?client_id=ringfence');
  const listed = body.map(({ provider_id, country }: Record<string, string>) => `${provider_id} ${country}`);
  expect(listed).toEqual(['ob-sandbox uk', 'mock uk', 'ob-sandbox-ie ie']);
  expect(errorOf(await send('/truelayer/auth/api/providers?client_id=other'))).toBe('400 invalid_client');
});

describe('reading', () => {
  test('shows the accounts and rows of the books, with the signs of accounts and of cards', async () => {
    const { customer, read, rows, current, savings } = await connected();
    await credit(customer, { booked_on: '2026-06-01' });
    await credit(customer, { amount: 700, payer: undefined, reference: 'MOVE', from_account: 'savings' });
    await credit(customer, { amount: -1_050, account: 'card', payer: 'SHOP' });
    const number = { sort_code: '00-99-01', number: expect.stringMatching(/^\d{8}$/), iban: expect.any(String) };
    const ofType = (account_type: string, currency: string, account_number: object) =>
      expect.objectContaining({ account_type, currency, account_number });
    expect((await read('accounts')).body.results).toEqual([
      ofType('TRANSACTION', 'GBP', number),
      ofType('SAVINGS', 'GBP', number),
      ofType('TRANSACTION', 'EUR', { iban: expect.stringMatching(/^GB\d\dSAND\d{14}$/) }),
    ]);
    const [card] = (await read('cards')).body.results;
    expect(card).toMatchObject({ currency: 'GBP', partial_card_number: expect.stringMatching(/^\d{4}$/) });
    const cardPath = `cards/${card.account_id}`;
    const balances = [`accounts/${current}/balance`, `accounts/${savings}/balance`, `${cardPath}/balance`];
    expect(await Promise.all(balances.map(async (path) => (await read(path)).body.results[0]))).toMatchObject([
      { currency: 'GBP', current: 1_032, available: 1_532, overdraft: 500 },
      { current: 493, available: 493, overdraft: 0 },
      { current: 133.95, credit_limit: 1_000 },
    ]);
    expect((await read(`${cardPath}/transactions`)).body.results).toMatchObject([
      { amount: 10.5, transaction_type: 'DEBIT', merchant_name: 'SHOP' },
    ]);
    const all = await rows(`?from=2026-05-31&to=${new Date().toISOString()}`);
    expect(all).toMatchObject([
      { amount: 7, transaction_type: 'CREDIT', currency: 'GBP', description: 'MOVE' },
      { amount: 25, timestamp: '2026-06-01T11:00:00.000Z', meta: { counter_party_preferred_name: 'ACME' } },
    ]);
    const ids = async (name: string) => (await rows()).map((row: Record<string, string>) => row[name]);
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

  test.each<[string, (consent: Awaited<ReturnType<typeof connected>>) => Promise<unknown>]>([
    ['the client deletes', ({ token }) => send('/truelayer/auth/api/delete', { method: 'DELETE', token })],
    ['its customer revokes', ({ customer }) => revoke(customer)],
    ['is 90 days old', () => sandbox('PUT', 'clock', { offset_ms: 90 * DAY_MS + 1_000 })],
  ])('ends with a consent that %s', async (_how, end) => {
    const consent = await connected();
    await end(consent);
    expect([errorOf(await consent.read('me')), errorOf(await refresh(consent.refreshToken))]).toEqual([
      '401 invalid_token',
      '400 invalid_grant',
    ]);
    const { items } = await sandbox('GET', `consents?owner_id=${consent.customer}`);
    expect(items.filter(({ status }: { status: string }) => status === 'AUTH')).toEqual([]);
    const again = await send('/truelayer/auth/api/delete', { method: 'DELETE', token: consent.token });
    expect(again.status).toBe(401);
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

const stableIds = async ({ rows }: Consent) =>
  (await rows()).map((row: Row) => row['normalised_provider_transaction_id']) as string[];
const numbers = async ({ read }: Consent) =>
  (await read('accounts')).body.results.map((one: { account_number: object }) => Object.values(one.account_number));
const twice = async <T>(look: () => Promise<T>) => [await look(), await look()];

/** With one credit of 2,500 pence, and one debit of 300 pence. */
async function connectedWithRows() {
  const consent = await connected();
  await credit(consent.customer);
  await credit(consent.customer, { amount: 300, account: 'savings', from_account: 'current' });
  return consent;
}

test.each<[string, true | number, (consent: Consent) => Promise<unknown>, unknown]>([
  ['error_without_state', true, async ({ customer }) => (await journey(customer)).answer['state'], undefined],
  ['query_answer', true, async ({ customer }) => (await journey(customer)).by, 'query'],
  [
    'lost_refresh',
    2,
    async ({ read, refreshToken }) => [
      (await read('me')).status,
      ...(await twice(() => refresh(refreshToken).catch(() => 'lost'))),
      errorOf(await refresh(refreshToken)),
    ],
    [401, 'lost', 'lost', '400 invalid_grant'],
  ],
  [
    'stale_me',
    true,
    async ({ customer, read, refreshToken }) => {
      await revoke(customer);
      const [{ consent_status }] = (await read('me')).body.results;
      return [consent_status, errorOf(await read('accounts')), errorOf(await refresh(refreshToken))];
    },
    ['Authorised', '403 access_denied', '400 invalid_grant'],
  ],
  ['no_stable_id', true, seen, ['-3.00 debit no id', '25.00 no id']],
  [
    'late_stable_id',
    true,
    (consent) => twice(async () => (await seen(consent)).join()),
    ['11.11 no id,-3.00 debit,25.00', '11.11,-3.00 debit,25.00'],
  ],
  [
    'shuffle',
    true,
    async (consent) => {
      const orders = new Set<string>();
      while (orders.size < 2) orders.add((await seen(consent)).join());
      return [...orders].sort();
    },
    ['-3.00 debit,25.00', '25.00,-3.00 debit'],
  ],
  [
    'same_twice',
    true,
    async (consent) => [...(await seen(consent)), new Set(await stableIds(consent)).size],
    ['-3.00 debit', '-3.00 debit', '25.00', '25.00', 4],
  ],
  [
    'changed_row',
    true,
    async (consent) => {
      const [first, second] = await twice(async () => [(await seen(consent))[0], (await stableIds(consent))[0]]);
      return [first![0], second![0], first![1] === second![1]];
    },
    ['11.11', '22.22', true],
  ],
  ['no_day', true, seen, ['-3.00 debit', '25.00', '11.11 no time']],
  ['exponent', true, seen, ['1.2345e3', '1234.50', '-3.00 debit', '25.00']],
  ['float_trap', true, seen, ['1.005', '0.30000000000000004', '-3.00 debit', '25.00']],
  ['credit_negative', true, seen, ['-11.11', '-3.00 debit', '25.00']],
  ['foreign_row', true, seen, ['11.11 EUR', '-3.00 debit', '25.00']],
  ['positive_debit', true, seen, ['3.00 debit', '25.00']],
  [
    'sca',
    true,
    async ({ read, current }) => {
      const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
      const from = (days: number) => read(`accounts/${current}/transactions?from=${ago(days)}&to=${ago(0)}`);
      return [errorOf(await from(92)), (await from(90)).status];
    },
    ['403 sca_exceeded', 200],
  ],
  [
    'throttle',
    1,
    ({ read }) => twice(() => read('accounts').then((answer) => `${errorOf(answer)} ${answer.retryAfter}`)),
    ['429 provider_too_many_requests 2', '200 undefined null'],
  ],
  ['failed_status', true, ({ read, current }) => read(`accounts/${current}/balance`).then(({ body }) => body), FAILED],
  ['account_error', true, async ({ read, savings }) => (await read(`accounts/${savings}/balance`)).status, 403],
  ['shared_number', true, async (consent) => new Set((await numbers(consent)).map(String)).size, 2],
  ['masked_number', true, numbers, [1, 2, 3].map(() => [expect.stringMatching(/^\*{4}\d{4}$/)])],
  [
    'new_ids',
    true,
    async ({ customer, current }) => {
      const other = await connected(customer);
      return [current === other.current, (await seen(other)).length];
    },
    [false, 2],
  ],
  [
    'pending_twin',
    true,
    async (consent) => {
      const { results } = (await consent.read(`accounts/${consent.current}/transactions/pending`)).body;
      const alike = ({ transaction_id: _id, ...row }: Row) => JSON.stringify(row);
      const [booked] = await consent.rows();
      return [await seen(consent), results.map(alike).join() === alike(booked)];
    },
    [['11.11', '-3.00 debit', '25.00'], true],
  ],
])('the switch %s does what it says, until it ends', async (name, value, look, expected) => {
  const consent = await connectedWithRows();
  expect((await switchOn(consent.customer, { [name]: value })).status).toBe(200);
  expect(await look(consent)).toEqual(expected);
  await switchOn(consent.customer, {});
  expect(await seen(await connected(consent.customer))).toEqual(['-3.00 debit', '25.00']);
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
