import { openPresent } from '../../activities/bank/request-sync.ts';
import { paymentActivities } from '../../activities/payments/index.ts';
import { LOGIN_SCOPES } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { transactionsOf } from '../../infra/db/queries/bank-lists.ts';
import { startApi, type TestAnswer, type TestRequest, type TestUser } from '../helpers/api.ts';
import { banksWith } from '../helpers/banks.ts';
import { authorise } from '../helpers/connections.ts';
import { newClient, newCode, redeem, sqlOf } from '../helpers/oauth.ts';
import { ownerSql } from '../helpers/owner.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { problem } from '../helpers/problem.ts';
import { storeAccount, storeTransactions, type KnownAccount } from '../helpers/read-accounts.ts';
import { signIn } from '../helpers/visitor.ts';

const banks = playedBanks();
const api = startApi({
  banks: { ...banks, house: banksWith(playedBank()).house },
  env: { RINGFENCE_TRUSTED_PROXIES: '127.0.0.1/32' },
});
const { services } = api;
const sql = sqlOf(services);
const BANK = '/api/v1/bank';
const CONNECTIONS = `${BANK}/connections`;
const PAYS = {
  kind: 'payments',
  provider_id: 'prov_sandbox_instant',
  limits: { per_payment: 20_000, per_month: 20_000 },
};
let user: TestUser;

beforeAll(() => paymentActivities(services).ensureSandboxPayees());
beforeEach(async () => {
  user = await api.registerUser();
});

const get = (path: string, { token = user.token, headers = {} } = {}) => api.get(`${BANK}${path}`, { token, headers });

async function connect(isAuthorised = true, more: object = {}): Promise<string> {
  const body = { user_id: user.userId, bank_id: 'played-local', kind: 'accounts', ...more };
  const { connection_id } = (await api.post(CONNECTIONS, { token: user.token, body })).body;
  if (isAuthorised) await authorise(services, banks, connection_id as string);
  await sql.run(`delete from bank_syncs where connection_id = $1`, [connection_id]);
  return connection_id as string;
}

const change = (id: string, what: string) =>
  sql.run(`update bank_connections set ${what} where connection_id = $1`, [id]);
const account = (connections: readonly string[], more: Partial<Parameters<typeof storeAccount>[1]> = {}) =>
  storeAccount(services, { ownerId: user.userId, connections, ...more });
const sync = (id: string, { token = user.token, ...more }: TestRequest = {}) =>
  api.post(`${CONNECTIONS}/${id}/sync`, { token, ...more });

describe('a connection shows', () => {
  test('its accounts, masked, with figures that are null once the account is gone', async () => {
    const [id, other] = [await connect(), await connect()];
    const { account_id } = await account([id, other]);
    const figures = { balance: null, available: null, credit_line: null, as_of: null };
    const card = { name: 'Card', sortCode: null, accountNumber: null, last4: '4321' };
    await account([id], { kind: 'card', balance: -12_345, available: null, credit_line: null, details: card });
    await sql.run(`update bank_account_links set gone_at = now() where connection_id = $1`, [other]);
    const shown = {
      ...{ account_id, name: 'Everyday', kind: 'current', currency: 'GBP' },
      ...{ sort_code_masked: '**-**-06', account_number_masked: '****7021' },
      ...{ balance: 100_000, available: 150_000, credit_line: 50_000, as_of: expect.any(String) },
    };
    const masks = { sort_code_masked: null, account_number_masked: '****4321' };
    const { body, text } = await get(`/connections/${id}`);
    expect(body.accounts).toEqual([shown, expect.objectContaining({ kind: 'card', balance: -12_345, ...masks })]);
    expect(text).not.toMatch(/44417021|207106/);
    expect((await get('/connections')).body.items).toMatchObject([
      { accounts: [{ ...shown, ...figures }] },
      { accounts: body.accounts },
    ]);
  });

  test('a running sync by Retry-After to those who wait, then what it brought, and changed figures by the ETag', async () => {
    const id = await connect();
    const { account_id } = await account([id]);
    const first = await get(`/connections/${id}`);
    expect([first.body.last_sync, first.headers['retry-after']]).toEqual([null, undefined]);
    await sql.run(`update bank_accounts set balance = balance - 1 where account_id = $1`, [account_id]);
    const changed = await get(`/connections/${id}`, { headers: { 'if-none-match': String(first.headers.etag) } });
    expect(changed.status).toBe(200);
    expect((await sync(id)).headers['retry-after']).toBe('1');
    expect((await get(`/connections/${id}`)).headers['retry-after']).toBe('1');
    const waiting = get(`/connections/${id}`, { headers: { prefer: 'wait=30' } });
    const end = `synced_at = '2026-11-29T10:00:00Z', sync_outcome = 'partial', sync_reason = 'bank-away'`;
    await services.db.transaction(async () => {
      await sql.run(`delete from bank_syncs where connection_id = $1`, [id]);
      await change(id, `${end}, sync_rows_new = 3, sync_rows_refused = 1, version = version + 1`);
    });
    const { body, headers } = await waiting;
    expect(headers['retry-after']).toBeUndefined();
    expect(body.last_sync).toEqual({
      ...{ finished_at: '2026-11-29T10:00:00.000Z', outcome: 'partial', reason: 'bank-away' },
      ...{ rows_new: 3, rows_refused: 1 },
    });
  });
});

describe('transactions', () => {
  let one: KnownAccount;
  let two: KnownAccount;
  const list = async (query: string, token = user.token) => (await get(`/transactions?${query}`, { token })).body;
  const amounts = ({ items }: { items: { amount: number }[] }) => items.map(({ amount }) => amount);
  beforeEach(async () => {
    const id = await connect();
    [one, two] = [await account([id]), await account([id], { kind: 'savings' })];
    const texts = { counterparty: 'Northwind & Söhne', reference: null, payer: 'Northwind' };
    await storeTransactions(services, one, [
      ['2026-11-20', 1, texts],
      ['2026-11-22', -2],
    ]);
    await storeTransactions(services, two, [
      ['2026-11-22', 3],
      ['2026-11-21', -4],
    ]);
  });

  test('are the person’s own, the latest booked first, with texts and signed pence', async () => {
    const { items, next_cursor } = await list('');
    expect([amounts({ items }), next_cursor]).toEqual([[3, -2, -4, 1], null]);
    expect(items[3]).toEqual({
      ...{ transaction_id: expect.stringMatching(/^txn_/), account_id: one.account_id, amount: 1 },
      ...{ booked_on: '2026-11-20', counterparty: 'Northwind & Söhne', reference: null, matched: null },
    });
    expect(amounts(await list(`user_id=${user.userId}`, await api.apiKey(['read:bank'])))).toEqual([3, -2, -4, 1]);
    const { token } = await api.registerUser();
    for (const query of ['', `account_id=${one.account_id}`]) expect(amounts(await list(query, token))).toEqual([]);
  });

  test('are filtered by account and by both days', async () => {
    const of = `account_id=${two.account_id}`;
    const queries = [of, 'from=2026-11-21&to=2026-11-21', `from=2026-11-22&${of}`, 'to=2026-11-20'];
    const found = await Promise.all(queries.map((query) => list(query)));
    expect(found.map(amounts)).toEqual([[3, -4], [-4], [3], [1]]);
  });

  test('keep their places on pages while others arrive, and a cursor is good for its own filters alone', async () => {
    const first = await list('limit=2');
    await storeTransactions(services, two, [
      ['2026-11-23', 5],
      ['2026-11-22', 6],
      ['2026-11-21', 7],
    ]);
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    const third = await list(`limit=2&cursor=${second.next_cursor}`);
    expect([first, second, third].map(amounts)).toEqual([[3, -2], [7, -4], [1]]);
    expect(third.next_cursor).toBeNull();
    expect(await list(`from=2026-11-01&cursor=${first.next_cursor}`)).toMatchObject({ code: 'invalid-request' });
  });

  test('a page among 10,000 reads only its own rows', async () => {
    await ownerSql(
      services,
      `insert into bank_transactions (transaction_id, account_id, owner_id, bank_id, amount, booked_on, texts_sealed, fingerprint, ordinal, created_at)
       select 'txn_' || n, $1, $2, 'played-local', n, date '2026-11-19' - n / 30, 'x', n::text, 0, now() from generate_series(1, 10000) n`,
      [one.account_id, user.userId],
    );
    await ownerSql(services, 'analyze bank_transactions');
    const before = { booked_on: '2026-06-01', seq: 5_000 };
    for (const accountId of [undefined, one.account_id]) {
      const wanted = { owner: user.userId, account: accountId, from: undefined, to: undefined, before, most: 51 };
      const { text, values } = transactionsOf(wanted);
      const explained = (await ownerSql(services, `explain (analyze, format json) ${text}`, values))[0]!;
      const rows = [...JSON.stringify(explained).matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count));
      expect(Math.max(...rows)).toBeLessThanOrEqual(51);
    }
  });
});

describe('backing', () => {
  const backing = async () => (await get(`/backing/${user.userId}`)).body;
  const setAside = async (amount: number) => {
    const obligations = [{ type: 'Rent', amount, category: 'FIXED' }];
    const body = { employee_id: user.userId, gross_pay: amount * 2, pay_date: '2026-11-20', obligations };
    const made = (await api.post('/api/v1/engine/paycheck/calculate', { token: user.token, body })).body;
    const { locked_for_bills: bills, locked_buffer: buffer, vaults } = made;
    return { ring_fenced: (bills as number) + (buffer as number), allocation: vaults[0].allocation_id };
  };

  test('counts own money of current and savings accounts in pounds, each account once', async () => {
    const { ring_fenced } = await setAside(100_000);
    const [id, other] = [await connect(), await connect()];
    const counts = async (bank_balance: number, as_of: unknown = expect.any(String)) => {
      const shortfall = Math.max(0, ring_fenced - bank_balance);
      const covered = shortfall === 0;
      expect(await backing()).toEqual({ ring_fenced, in_flight: 0, bank_balance, covered, shortfall, as_of });
    };
    const SINCE = '2026-11-20T10:00:00.000Z';
    await counts(0, null);
    await account([id], { balance: null, available: null, credit_line: null, as_of: null });
    await counts(0, null);
    const { account_id } = await account([id, other], { as_of: SINCE });
    await account([id], { kind: 'card' });
    await account([id], { currency: 'EUR' });
    await counts(100_000, SINCE);
    await account([other], { kind: 'savings', balance: 70_000, available: null, credit_line: 40_000 });
    await counts(170_000, SINCE);
    await account([other], { balance: 0, available: ring_fenced - 170_000, credit_line: 0 });
    // It may all be borrowed.
    await account([other], { balance: 0, available: 50_000, credit_line: null });
    await counts(ring_fenced, SINCE);
    await account([id], { balance: -1, available: 49_999 });
    await counts(ring_fenced - 1, SINCE);
    await change(other, `status = 'revoked'`);
    await counts(99_999, SINCE);
    const gone = 'gone_at = now(), balance = null, available = null, credit_line = null, as_of = null';
    await sql.run(`update bank_accounts set ${gone} where account_id = $1`, [account_id]);
    await counts(-1);
  });

  test('counts payments on their way, and needs an authorised connection that reads', async () => {
    const { ring_fenced, allocation } = await setAside(50_000);
    expect(await get(`/backing/${user.userId}`)).toMatchObject(problem(409, 'bank-not-connected'));
    await connect(true, PAYS);
    const id = await connect();
    const { provider_id } = PAYS;
    const body = { amount: 20_000, currency: 'GBP', provider_id, vault_allocation_id: allocation };
    expect((await api.post('/api/v1/payments/execute', { token: user.token, body })).status).toBe(201);
    const split = { ring_fenced: ring_fenced - 20_000, in_flight: 20_000 };
    expect(await backing()).toMatchObject({ ...split, shortfall: ring_fenced });
    await change(id, `status = 'reauthorisation_needed'`);
    expect(await get(`/backing/${user.userId}`)).toMatchObject(
      problem(409, 'bank-not-connected', { connection_status: 'reauthorisation_needed' }),
    );
  });
});

async function asked(id: string) {
  const text = 'select requested_by, present_sealed as sealed, sync_id from bank_syncs where connection_id = $1';
  const [row] = await sql.many<{ requested_by: string; sealed: string | null; sync_id: string }>(text, [id]);
  const present = row?.sealed ? await openPresent(services, { connection_id: id }, row.sealed) : null;
  return row && { by: row.requested_by, sync_id: row.sync_id, present };
}

describe('a sync', () => {
  test('is taken on once by any caller, and joined while it is open', async () => {
    const id = await connect();
    const token = await api.apiKey(['write:bank']);
    const headers = { 'idempotency-key': 'sync-once' };
    const first = await sync(id, { token, headers });
    expect(first).toMatchObject({ status: 202, body: { connection_id: id, status: 'authorised' } });
    const { sync_id, ...how } = (await asked(id))!;
    expect(how).toEqual({ by: 'request', present: null });
    expect((await sync(id, { token, headers })).headers['idempotent-replayed']).toBe('true');
    expect((await Promise.all([sync(id), sync(id, { token })])).map(({ status }) => status)).toEqual([202, 202]);
    expect((await asked(id))?.sync_id).toBe(sync_id);
  });

  test.each<[string, string | null, object]>([
    ['before the authorisation', null, problem(409, 'bank-not-connected')],
    ['while the bank wants the person', `status = 'reauthorisation_needed'`, problem(409, 'bank-not-connected')],
    ['after its end', `status = 'revoked'`, problem(409, 'bank-consent-ended', { connection_status: 'revoked' })],
    ['past reconfirm_by', `reconfirm_by = '2026-11-01'`, problem(409, 'bank-reconfirmation-needed')],
  ])('is refused %s', async (_when, set, expected) => {
    const id = await connect(set !== null);
    if (set !== null) await change(id, set);
    expect(await sync(id)).toMatchObject(expected);
    expect(await asked(id)).toBeUndefined();
  });

  const hoursIn = ({ headers }: TestAnswer) => Math.round(Number(headers['retry-after']) / 3_600);
  test('is refused for payments, and beyond what the bank allows', async () => {
    expect(await sync(await connect(true, PAYS))).toMatchObject(problem(422, 'bank-cannot-read'));
    const token = await api.apiKey(['write:bank']);
    const id = await connect();
    const { account_id } = await account([id]);
    await change(id, 'accounts_listed_at = now()');
    await sql.run(
      `insert into bank_reads (sync_id, account_id, owner_id, requested_by, read_at)
       select 'sync_' || n, $1, $2, 'request', now() - n * interval '1 hour' from generate_series(1, 2) n`,
      [account_id, user.userId],
    );
    const limited = await sync(id, { token });
    expect(limited).toMatchObject(problem(429, 'bank-read-limit'));
    expect(hoursIn(limited)).toBe(22);
    await change(id, `read_wait_until = now() + interval '5 hours'`);
    expect(hoursIn(await sync(id))).toBe(5);
    await change(id, 'read_wait_until = null');
    expect((await sync(id)).status).toBe(202);
  });

  test('tells the bank that the person is there only within five minutes of their own sign-in', async () => {
    const there = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Browser/1', 'accept-language': 'en-GB' };
    const from = { headers: there, proxiedFrom: '127.0.0.1' };
    const id = await connect();
    await sync(id, from);
    const present = { ip: '203.0.113.7', userAgent: 'Browser/1', language: 'en-GB' };
    expect(await asked(id)).toMatchObject({ by: 'person', present });
    const client = await newClient(services, { scopes: LOGIN_SCOPES });
    const code = await newCode(services, { clientId: client.clientId, userId: user.userId, scopes: LOGIN_SCOPES });
    const { access_token } = (await redeem(api, client, code)).body;
    const others = [access_token as string, await api.apiKey(['write:bank'])];
    const { email, password } = user;
    const { body: late } = await api.post('/api/v1/auth/login', { body: { email, password } });
    await ownerSql(
      services,
      `update token_families set created_at = created_at - interval '301 seconds' where user_id = $1 and client_id is null`,
      [user.userId],
    );
    const { body: refreshed } = await api.post('/api/v1/auth/refresh', { body: { refresh_token: late.refresh_token } });
    for (const token of [...others, user.token, late.access_token as string, refreshed.access_token as string]) {
      const other = await connect();
      expect((await sync(other, { ...from, token })).status).toBe(202);
      expect(await asked(other)).toMatchObject({ by: 'request', present: null });
    }
  });
});

describe('the page of a connection', () => {
  const pageOf = (id: string) => `${CONNECTIONS}/${id}/accounts`;
  const signedIn = async (page: string, who: TestUser) => (await signIn(api, page, who)).visitor;

  test('shows the owner the accounts, and has them read while the owner is there', async () => {
    const id = await connect();
    await account([id], { details: { name: 'Bills <b>' } });
    const visitor = await signedIn(pageOf(id), user);
    const shown = await visitor.get(pageOf(id));
    expect(shown.text).toMatch(/Your accounts at Local Bank[^]*Bills &lt;b&gt;[^]*\*\*\*\*7021[^]*£1,000\.00/);
    const readNow = `${CONNECTIONS}/${id}/read-now`;
    expect(await visitor.submit(shown, readNow, { csrf: '0'.repeat(43) })).toMatchObject({ status: 403 });
    const pressed = await visitor.submit(shown, readNow, {}, { 'user-agent': 'Browser/2' });
    expect([pressed.status, pressed.headers.location]).toEqual([303, pageOf(id)]);
    expect((await asked(id))?.present).toMatchObject({ ip: '127.0.0.1', userAgent: 'Browser/2' });
    expect((await visitor.get(pageOf(id))).text).toMatch(/Your bank is being asked now[^]*Look again/);
  });

  test('is not shown to anybody else, nor five minutes after the sign-in', async () => {
    const id = await connect();
    const stranger = await signedIn(pageOf(id), await api.registerUser());
    const nobodys = pageOf(id.replace(/[^_]+$/, '01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11'));
    const [theirs, unknown] = [await stranger.get(pageOf(id)), await stranger.get(nobodys)];
    expect([theirs.status, unknown.status, theirs.text.includes('Local Bank')]).toEqual([403, 403, false]);
    const visitor = await signedIn(pageOf(id), user);
    const shown = await visitor.get(pageOf(id));
    await ownerSql(services, `update sessions set created_at = created_at - interval '301 seconds'`);
    const pressed = await visitor.submit(shown, `${CONNECTIONS}/${id}/read-now`);
    expect([pressed.headers.location, await asked(id)]).toEqual([pageOf(id), undefined]);
    expect((await visitor.get(pageOf(id))).text).toContain('<h1>Sign in');
  });

  test('leads to a page on which the owner, and nobody else, says that a credit is their wage', async () => {
    const id = await connect();
    const known = await account([id]);
    const texts = { counterparty: 'ACME', payer: 'Acme <i> Ltd', reference: 'NOV' };
    const day = londonDateOf(await services.clock.now(services.db));
    const rows = [[day, 123_456, texts] as const, [day, -5] as const];
    const [credit, debit] = await storeTransactions(services, known, rows);
    await sql.run(
      `insert into bank_wages (wage_id, owner_id, account_id, transaction_id, amount, received_on, matched_by, status, created_at)
       values ($1, $2, $3, $4, 123456, $5, 'pattern', 'suggested', now())`,
      [`wage_${id}`, user.userId, known.account_id, credit, day],
    );
    const page = `${BANK}/transactions/${credit}/wage`;
    const visitor = await signedIn(pageOf(id), user);
    expect((await visitor.get(pageOf(id))).text).toMatch(
      new RegExp(`Is this your wage[^]*href="${page}"[^]*£1,234\\.56`),
    );
    const shown = await visitor.get(page);
    expect(shown.text).toMatch(/£1,234\.56[^]*Acme &lt;i&gt; Ltd[^]*NOV[^]*Everyday, \*\*\*\*7021/);
    expect(await visitor.submit(shown, page, { csrf: '0'.repeat(43) })).toMatchObject({ status: 403 });
    const stranger = await signedIn(pageOf(id), await api.registerUser());
    const [theirs, unknown] = [await stranger.get(page), await stranger.get(page.replace(/.{5}\/wage/, '00000/wage'))];
    expect([theirs.status, unknown.status, theirs.text.includes('Acme')]).toEqual([403, 403, false]);
    expect((await get('/wages')).body.items).toMatchObject([{ status: 'suggested' }]);
    expect((await visitor.submit(shown, page)).text).toContain('<h1>This is your wage');
    expect((await visitor.get(page)).text).toContain('<h1>This is your wage');
    expect((await visitor.get(page.replace(credit!, debit!))).text).toContain('This is not a wage');
    expect((await get('/wages?status=confirmed')).body.items).toMatchObject([
      { matched_by: 'person', payer: texts.payer },
    ]);
    const again = await api.post(`${BANK}/wages`, { token: user.token, body: { transaction_id: credit } });
    expect([again.status, again.body.transaction_id]).toEqual([200, credit]);
  });
});
