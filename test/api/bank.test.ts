import { listBanks, readInstitutions } from '../../activities/bank/banks.ts';
import { paymentActivities } from '../../activities/payments/index.ts';
import { LOGIN_SCOPES } from '../../domain/auth.ts';
import { BankError } from '../../infra/bank/interface.ts';
import { startApi, type TestUser } from '../helpers/api.ts';
import { authorise } from '../helpers/connections.ts';
import { fund } from '../helpers/money.ts';
import { newClient, newCode, redeem } from '../helpers/oauth.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { problem } from '../helpers/problem.ts';

const banks = playedBanks();
const api = startApi({ banks });
const PATH = '/api/v1/bank/connections';
const LIMITS = { per_payment: 95_000, per_month: 120_000, valid_until: '2099-12-31' };
const RETURN_URL = 'https://app.example.org/callback';
let user: TestUser;
let key: string;

beforeAll(async () => {
  await paymentActivities(api.services).ensureSandboxPayees();
  user = await api.registerUser();
  key = await api.apiKey(['write:bank']);
});
afterEach(() => {
  banks.local.failure = null;
});

const READS = { bank_id: 'played-local', kind: 'accounts' };
const PAYS = { bank_id: 'played-local', kind: 'payments', provider_id: 'prov_sandbox_instant', limits: LIMITS };
const connect = (more: object = {}, { token = user.token, headers = {} } = {}) =>
  api.post(PATH, { token, body: { user_id: user.userId, ...READS, ...more }, headers });
const read = (id: string, headers = {}) => api.get(`${PATH}/${id}`, { token: user.token, headers });
const authorised = async (more: object = {}) => {
  const { connection_id } = (await connect(more)).body;
  await authorise(api.services, banks, connection_id);
  return connection_id as string;
};

test('the banks say what they read and pay, and whom they lead to', async () => {
  const { status, body } = await api.get('/api/v1/bank/banks', { token: key });
  expect(status).toBe(200);
  expect(body.items).toEqual([
    { bank_id: 'played-local', name: 'Local Bank', reads: true, pays: expect.any(Array), institutions: [] },
    {
      ...{ bank_id: 'played-journey', name: 'Journey Bank', reads: true, pays: [] },
      institutions: [
        { institution_id: 'ob-first', name: 'First Bank' },
        { institution_id: 'ob-second', name: 'Second Bank' },
      ],
    },
  ]);
});

test('after a failure, the last list of institutions stays, and a list that was never read is waited for', async () => {
  const banksNow = playedBanks();
  const known = { banks: banksNow, log: api.services.log };
  const institutionsNow = async () => (await listBanks(known)).items[1]!.institutions.length;
  banksNow.journey.failure = new BankError('away', 'played');
  expect(await institutionsNow()).toBe(0);
  await expect(readInstitutions(known)).rejects.toThrow('played');
  banksNow.journey.failure = null;
  await readInstitutions(known);
  banksNow.journey.failure = new BankError('away', 'played');
  await readInstitutions(known);
  expect(await institutionsNow()).toBe(2);
});

describe('a new connection', () => {
  test('is answered in full, and asks the bank for nothing', async () => {
    const calls = banks.local.calls.length;
    const { status, body, headers } = await connect({ ...PAYS, return_url: RETURN_URL }, { token: key });
    expect(status).toBe(201);
    const id = body.connection_id as string;
    expect(body).toEqual({
      ...{ connection_id: expect.stringMatching(/^conn_/), user_id: user.userId, bank_id: 'played-local' },
      ...{ institution_id: null, kind: 'payments', provider_id: 'prov_sandbox_instant', vrp_type: 'other' },
      ...{ limits: LIMITS, status: 'awaiting_authorisation', created_at: expect.any(String) },
      authorise_url: `${api.services.config.api.publicUrl}${PATH}/${id}/authorise`,
      expires_at: expect.any(String),
    });
    expect(Math.abs((Date.parse(body.expires_at) - Date.now()) / 60_000 - 28)).toBeLessThan(3);
    expect(headers.location).toBe(`${PATH}/${id}`);
    expect(banks.local.calls).toHaveLength(calls);
    expect((await read(id)).body).toEqual({ ...body, paying_account: null, used_this_month: 0 });
  });

  const faults = (...pointers: string[]) => ({
    status: 400,
    body: { errors: pointers.map((pointer) => expect.objectContaining({ pointer }) as unknown) },
  });
  const WRONG = { per_payment: 2, per_month: 1, valid_until: '2020-01-01' };
  const unknown = problem(422, 'unknown-institution');
  test.each<[string, object, object]>([
    ['an owner without an account', { user_id: 'employee-7' }, problem(422, 'owner-without-account')],
    ['an unknown bank', { bank_id: 'nowhere' }, problem(422, 'unknown-bank')],
    ['an institution of no bank', { institution_id: 'ob-first' }, unknown],
    ['an institution of another bank', { bank_id: 'played-journey', institution_id: 'ob-third' }, unknown],
    ['payments from a bank without', { ...PAYS, bank_id: 'played-journey' }, problem(422, 'bank-cannot-pay')],
    ['a stranger’s payee', { ...PAYS, provider_id: 'prov_nobody' }, problem(422, 'unknown-provider')],
    ['another return URL', { return_url: `${RETURN_URL}/` }, problem(422, 'unregistered-return-url')],
    ['a payee to read for', { provider_id: 'prov_sandbox_instant' }, faults('/provider_id')],
    ['payments without payee and limits', { kind: 'payments' }, faults('/provider_id', '/limits')],
    ['limits that are none', { ...PAYS, limits: WRONG }, faults('/limits/per_payment', '/limits/valid_until')],
  ])('is refused with %s', async (_what, more, expected) => {
    expect(await connect(more, { token: key })).toMatchObject(expected);
  });

  test('is refused with what the bank neither shows nor pays, and may lead nowhere after a sign-in by password', async () => {
    expect(await connect({ return_url: RETURN_URL })).toMatchObject(problem(422, 'unregistered-return-url'));
    const traits = banks.local.traits;
    banks.local.traits = { ...traits, reads: false, pays: { HOUSING: 'commercial' } };
    expect(await connect()).toMatchObject(problem(422, 'bank-cannot-read'));
    expect(await connect(PAYS)).toMatchObject(problem(422, 'payee-not-payable', { category: 'UTILITIES' }));
    banks.local.traits = traits;
  });
});

test('a reader waits for the person to come back, and sees by the ETag that something has changed', async () => {
  const { connection_id } = (await connect()).body;
  const first = await read(connection_id);
  expect(first.headers['retry-after']).toBe('1');
  const unchanged = { 'if-none-match': String(first.headers.etag) };
  expect((await read(connection_id, unchanged)).status).toBe(304);
  const waiting = read(connection_id, { prefer: 'wait=30' });
  await authorise(api.services, banks, connection_id);
  const { body, headers } = await waiting;
  const nothing = { authorise_url: null, expires_at: null, accounts: [], last_sync: null };
  expect(body).toMatchObject({ status: 'authorised', ...nothing });
  expect(body.reconfirm_by).toMatch(/^\d{4}-/);
  expect(headers['retry-after']).toBeUndefined();
  expect((await read(connection_id, unchanged)).status).toBe(200);
});

test('the list has one person’s connections, newest first, by status and page', async () => {
  const { token, userId: user_id } = await api.registerUser();
  const make = async () => (await connect({ user_id }, { token })).body.connection_id as string;
  const [first, second] = [await make(), await make()];
  await authorise(api.services, banks, first);
  const list = async (query: string, by = token) => api.get(`${PATH}?${query}`, { token: by });
  const idsOf = (items: { connection_id: string }[]) => items.map(({ connection_id }) => connection_id);
  const page = (await list('limit=1')).body;
  const next = (await list(`limit=1&cursor=${page.next_cursor}`)).body;
  expect([idsOf(page.items), idsOf(next.items), next.next_cursor]).toEqual([[second], [first], null]);
  expect(idsOf((await list('status=authorised')).body.items)).toEqual([first]);
  expect(idsOf((await list(`user_id=${user_id}`, key)).body.items)).toEqual([second, first]);
  expect(await list('', key)).toMatchObject({ status: 400 });
});

describe('reading goes on', () => {
  const reconfirm = (id: string, token: string) => api.post(`${PATH}/${id}/reconfirm`, { token });

  test('by the person’s own sign-in alone', async () => {
    const id = await authorised();
    const client = await newClient(api.services, { scopes: LOGIN_SCOPES });
    const code = await newCode(api.services, { clientId: client.clientId, userId: user.userId, scopes: LOGIN_SCOPES });
    const { access_token } = (await redeem(api, client, code)).body;
    for (const token of [key, access_token as string]) {
      expect(await reconfirm(id, token)).toMatchObject(problem(403, 'own-sign-in-required'));
    }
    expect(await reconfirm(id, user.token)).toMatchObject({ status: 200, body: { connection_id: id } });
  });

  test('by a new journey, which is offered, where the bank wants one', async () => {
    const id = await authorised({ bank_id: 'played-journey', institution_id: 'ob-first' });
    const url = `${api.services.config.api.publicUrl}${PATH}/${id}/authorise`;
    expect(await reconfirm(id, user.token)).toMatchObject(
      problem(409, 'bank-authorisation-needed', { authorise_url: url }),
    );
    expect((await read(id)).body).toMatchObject({ status: 'authorised', authorise_url: url });
  });

  test('not for payments, and not before or after the connection', async () => {
    expect(await reconfirm(await authorised(PAYS), user.token)).toMatchObject(problem(409, 'nothing-to-reconfirm'));
    const { connection_id: id } = (await connect()).body;
    expect(await reconfirm(id, user.token)).toMatchObject(problem(409, 'bank-not-connected'));
    await api.request('DELETE', `${PATH}/${id}`, { token: user.token });
    expect(await reconfirm(id, user.token)).toMatchObject(
      problem(409, 'bank-consent-ended', { connection_status: 'expired' }),
    );
  });
});

test('a connection is authorised again by a fresh URL, unless it has ended', async () => {
  const id = await authorised(PAYS);
  const again = () => api.post(`${PATH}/${id}/reauthorise`, { token: key });
  const { status, body } = await again();
  expect([status, body.status, body.limits]).toEqual([201, 'authorised', LIMITS]);
  expect(body.authorise_url).toContain(id);
  const masked = { sort_code_masked: '**-**-06', account_number_masked: '****7021' };
  expect((await read(id)).body.paying_account).toEqual(masked);
  await api.request('DELETE', `${PATH}/${id}`, { token: key });
  expect(await again()).toMatchObject(problem(409, 'bank-consent-ended', { connection_status: 'revoked' }));
});

test('an end is 204 once the bank has ended the consent, and 202 while the bank is away', async () => {
  const end = async (id: string) => (await api.request('DELETE', `${PATH}/${id}`, { token: user.token })).status;
  const [one, two] = [await authorised(), await authorised()];
  expect([await end(one), await end(one)]).toEqual([204, 204]);
  banks.local.failure = new BankError('away', 'played');
  expect(await end(two)).toBe(202);
  expect((await read(two)).body.status).toBe('revoked');
  banks.local.failure = null;
  expect(await end(two)).toBe(204);
});

test('a payment names the connection that pays it, and refusals the limits and the connection', async () => {
  const { allocationId: vault_allocation_id } = await fund(api.services, user.userId, 100_000);
  const pay = (amount: number) => {
    const body = { vault_allocation_id, amount, currency: 'GBP', provider_id: 'prov_sandbox_slow' };
    return api.post('/api/v1/payments/execute', { token: user.token, body });
  };
  const wanted = { ...PAYS, provider_id: 'prov_sandbox_slow', limits: { per_payment: 1_000, per_month: 1_500 } };
  const id = (await connect(wanted)).body.connection_id as string;
  expect(await pay(999)).toMatchObject(
    problem(409, 'bank-not-connected', { connection_status: 'awaiting_authorisation' }),
  );
  await authorise(api.services, banks, id);
  const paid = await pay(1_000);
  expect(paid).toMatchObject({ status: 201, body: { connection_id: id, status: 'processing' } });
  expect((await read(id)).body).toMatchObject({ used_this_month: 1_000 });
  const beyond = { limit: 1_500, used: 1_000, available: 500 };
  expect(await pay(501)).toMatchObject(problem(422, 'exceeds-consent-limit', beyond));
  await api.request('DELETE', `${PATH}/${id}`, { token: user.token });
  const ended = { connection_id: id, connection_status: 'revoked' };
  expect(await pay(1)).toMatchObject(problem(409, 'bank-consent-ended', ended));
});
