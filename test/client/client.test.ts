import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { paymentActivities } from '../../activities/payments/index.ts';
import {
  createClient,
  isProblem,
  itemsOf,
  NoAnswerError,
  OAuthError,
  ProblemError,
  UnexpectedAnswerError,
  WaitedTooLongError,
  type ClientOptions,
  type TokenSet,
} from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { startApi, vaultClient } from '../helpers/api.ts';
import { freePort } from '../helpers/ports.ts';
import { startCuttingProxy, type CuttingProxy } from '../helpers/cutting-proxy.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { ownerSql } from '../helpers/owner.ts';

const IN_HALF_A_YEAR = new Date(Date.now() + 182 * 86_400_000).toISOString().slice(0, 10);
const api = startApi({ bank: playedBank() });
let proxy: CuttingProxy;
let ca: string;
let apiKey: string;

beforeAll(async () => {
  ca = await readFile(api.services.config.api.tls.ca, 'utf8');
  proxy = await startCuttingProxy(api.plainUrl);
  await paymentActivities(api.services).ensureSandboxPayees();
  apiKey = await api.apiKey([
    'write:payments',
    'write:paycheck',
    'write:allocations',
    'write:credential',
    'write:debt',
  ]);
});
afterAll(async () => {
  await proxy.stop();
});

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: api.url, fetch: tlsFetch({ ca }), credential: { apiKey }, ...options });

const overTheProxy = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: proxy.url, credential: { apiKey }, retry: { baseMs: 10 }, ...options });

async function aWage(owner: string): Promise<string> {
  const { vaults } = await clientOf().calculatePaycheck({
    body: {
      employee_id: owner,
      gross_pay: 284_735,
      obligations: [{ type: 'Rent', amount: 95_000, category: 'FIXED' }],
    },
  });
  return vaults[0]!.allocation_id;
}

const rent = (vault_allocation_id: string, more: { execute_on?: string } = {}) => ({
  vault_allocation_id,
  amount: 9_500,
  currency: 'GBP',
  provider_id: 'prov_sandbox_instant',
  ...more,
});

/** Sends these responses in turn. The last response repeats. */
async function scripted(...answers: { status: number; headers?: Record<string, string>; body?: unknown }[]) {
  const came: { method: string; key: string | undefined; at: number }[] = [];
  const server: Server = createServer((request, response) => {
    came.push({ method: request.method!, key: request.headers['idempotency-key'] as string, at: Date.now() });
    request.resume().on('end', () => {
      const { status, headers = {}, body } = answers.length > 1 ? answers.shift()! : answers[0]!;
      const type = status >= 400 ? 'application/problem+json' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    came,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const problem = (status: number, code: string) => ({
  type: `/problems/${code}`,
  title: code,
  status,
  detail: 'as scripted',
  instance: '/',
  code,
});

describe('a call', () => {
  test("takes path, query and body, and returns the contract's type", async () => {
    await aWage('emp-call');
    const { vaults, safe_to_spend } = await clientOf().listVaults({ path: { user_id: 'emp-call' } });
    expect(vaults.map(({ balance }) => balance)).toEqual([95_000]);
    expect(safe_to_spend).toBe(284_735 - 95_000 - 28_474);
    const { items } = await clientOf().listAllocationHistory({ path: { user_id: 'emp-call' }, query: { limit: 1 } });
    expect(items).toHaveLength(1);
  });

  test.each([undefined, null, '', '.', '..'])('is not sent with the id %j in its path', async (user_id) => {
    const path = { user_id: user_id as string };
    await expect(clientOf().listVaults({ path })).rejects.toThrow(new RegExp(`path.user_id is ${String(user_id)}`));
  });

  test('returns a chart as text on request', async () => {
    const body = {
      debts: [{ name: 'Card', balance: 120_000, rate: 1_990, minimum: 2_500 }],
      monthly_budget: 10_000,
    };
    expect(await clientOf().simulateDebts({ body }, { accept: 'image/svg+xml' })).toMatch(/^<svg/);
    expect(await clientOf().simulateDebts({ body })).toMatchObject({ strategy: 'avalanche' });
  });

  test('returns undefined without content, and gives access to the response', async () => {
    const user = await api.registerUser();
    const client = clientOf({ credential: { email: user.email, password: user.password } });
    const seen: number[] = [];
    await expect(client.logout(undefined, { onResponse: ({ status }) => seen.push(status) })).resolves.toBeUndefined();
    expect(seen).toEqual([204]);
  });

  test('ends when its signal is aborted', async () => {
    const signal = AbortSignal.abort(new Error('changed my mind'));
    await expect(clientOf().listProviders({}, { signal })).rejects.toThrow('changed my mind');
  });

  test('iterates over a list page by page', async () => {
    const allocation = await aWage('emp-pages');
    for (let paid = 0; paid < 3; paid += 1) await clientOf().executePayment({ body: rent(allocation) });
    const found: string[] = [];
    const page = (cursor: string | undefined) =>
      clientOf().listPayments({ query: { user_id: 'emp-pages', limit: 1, cursor } });
    for await (const { payment_id } of itemsOf(page)) found.push(payment_id);
    expect(new Set(found).size).toBe(3);
  });
});

describe('a refusal', () => {
  test('is an error with code, status, figures and request id', async () => {
    const allocation = await aWage('emp-refused');
    const refused = clientOf().executePayment({ body: { ...rent(allocation), amount: 95_001 } });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      code: 'insufficient-allocation',
      status: 422,
      problem: { available: 95_000 },
      requestId: expect.any(String) as string,
      retryAfter: undefined,
    });
    expect(isProblem(error, 'insufficient-allocation')).toBe(true);
    expect(isProblem(error, 'unknown-provider')).toBe(false);
  });

  test('of an invalid request names every fault', async () => {
    const body = { ...rent('alloc_none'), amount: -1, currency: 'gbp' };
    const error = await clientOf()
      .executePayment({ body })
      .catch((thrown: unknown) => thrown as ProblemError);
    expect((error as ProblemError).errors.map(({ pointer }) => pointer).sort()).toEqual(['/amount', '/currency']);
  });

  test('of an OAuth endpoint is an OAuth error', async () => {
    const exchange = clientOf().exchangeToken({
      body: { grant_type: 'authorization_code', code: 'x', client_id: 'y' },
    });
    const error = await exchange.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OAuthError);
    expect(error).toMatchObject({ error: 'invalid_client', status: 401 });
  });

  test('of a proxy is a different error', async () => {
    await using proxied = await scripted({
      status: 502,
      body: '<h1>Bad gateway</h1>',
      headers: { 'content-type': 'text/html' },
    });
    const client = createClient({ baseUrl: proxied.url, retry: { attempts: 2, baseMs: 1 } });
    await expect(client.checkLive()).rejects.toBeInstanceOf(UnexpectedAnswerError);
    expect(proxied.came).toHaveLength(2);
  });
});

describe('a lost response', () => {
  test('is retried with the same idempotency key: the payment is made once', async () => {
    const allocation = await aWage('emp-lost');
    proxy.cutNext(3);
    const before = proxy.cut;
    const payment = await overTheProxy().executePayment({ body: rent(allocation) });
    expect(proxy.cut - before).toBe(3);
    const { items } = await clientOf().listPayments({ query: { user_id: 'emp-lost' } });
    expect(items.map(({ payment_id }) => payment_id)).toEqual([payment.payment_id]);
    await expectSoundLedger(api.services);
  });

  test('to a request without an idempotency key is not retried, because it may have taken effect', async () => {
    const user = await api.registerUser();
    proxy.cutNext(1);
    const before = proxy.cut;
    const client = overTheProxy({ credential: undefined });
    const { email, password } = user;
    await expect(client.login({ body: { email, password } })).rejects.toMatchObject({ attempts: 1 });
    expect(proxy.cut - before).toBe(1);
  });

  test('is an error after the last attempt', async () => {
    proxy.cutNext(1_000);
    const failed = overTheProxy({ retry: { attempts: 3, baseMs: 1 } }).checkLive();
    await expect(failed).rejects.toBeInstanceOf(NoAnswerError);
    await expect(failed).rejects.toMatchObject({ attempts: 3 });
    proxy.cutNext(0);
  });
});

describe('no response', () => {
  test('names the address and the cause', async () => {
    const address = `https://localhost:${await freePort()}`;
    const client = createClient({ baseUrl: address, retry: { attempts: 2, baseMs: 1 } });
    await expect(client.checkLive()).rejects.toMatchObject({
      message: `no response from ${address} after 2 attempts: ECONNREFUSED`,
      address,
    });
  });

  test.each([
    ['the fetch of the platform', undefined],
    ['tlsFetch', tlsFetch({})],
  ])('because %s does not trust the certificate is not retried, and says what to do', async (_name, fetch) => {
    await expect(createClient({ baseUrl: api.url, ...(fetch && { fetch }) }).checkLive()).rejects.toMatchObject({
      attempts: 1,
      message: expect.stringMatching(
        /is not trusted \(\w+\)\. Set NODE_EXTRA_CA_CERTS, or the "ca" of tlsFetch, to the certificate of its CA, or correct the URL$/,
      ) as string,
    });
  });
});

describe('a temporary refusal', () => {
  test('is retried with the same key, no sooner than Retry-After says', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1' }, body: problem(429, 'rate-limited') };
    const inUse = { status: 409, body: problem(409, 'idempotency-key-in-use') };
    await using service = await scripted(limited, inUse, { status: 201, body: { payment_id: 'pay_1' } });
    const client = createClient({ baseUrl: service.url, credential: { apiKey }, retry: { baseMs: 5 } });
    expect(await client.executePayment({ body: rent('alloc_1') })).toEqual({ payment_id: 'pay_1' });
    const [first, second, third] = service.came;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
    expect(first!.key).toMatch(/^[0-9a-f-]{36}$/);
    expect([second!.key, third!.key]).toEqual([first!.key, first!.key]);
  });

  test('of a busy plan is retried, because nothing was done', async () => {
    const busy = { status: 409, headers: { 'retry-after': '0' }, body: problem(409, 'debt-plan-busy') };
    await using service = await scripted(busy, { status: 200, body: {} });
    const client = createClient({ baseUrl: service.url, credential: { apiKey }, retry: { baseMs: 1 } });
    await client.changeDebtPlan({ path: { plan_id: 'plan_1' }, body: { name: 'Cards' } });
    expect(service.came).toHaveLength(2);
  });

  test("with a Retry-After beyond the client's limit is returned as the error", async () => {
    const limited = { status: 429, headers: { 'retry-after': '900' }, body: problem(429, 'rate-limited') };
    await using service = await scripted(limited);
    const client = createClient({ baseUrl: service.url, credential: { apiKey } });
    await expect(client.listProviders()).rejects.toMatchObject({ code: 'rate-limited', retryAfter: 900 });
    expect(service.came).toHaveLength(1);
  });

  test("by a proxy's 503 is retried only if the request may be repeated", async () => {
    await using service = await scripted({ status: 503, body: 'down', headers: { 'content-type': 'text/plain' } });
    const client = createClient({ baseUrl: service.url, retry: { attempts: 2, baseMs: 1 } });
    await expect(client.login({ body: { email: 'ada@example.org', password: 'p' } })).rejects.toMatchObject({
      status: 503,
    });
    expect(service.came).toHaveLength(1);
    await expect(client.checkReady()).rejects.toMatchObject({ status: 503 });
    expect(service.came).toHaveLength(3);
  });

  test('is not waited for after an abort', async () => {
    const away = { status: 503, headers: { 'retry-after': '30' }, body: problem(503, 'dependency-unavailable') };
    await using service = await scripted(away);
    const giveUp = new AbortController();
    const call = createClient({ baseUrl: service.url }).checkReady(undefined, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(new Error('enough')), 50);
    await expect(call).rejects.toThrow('enough');
  });
});

describe('tokens', () => {
  // As if an hour had passed.
  const anHourPasses = (userId: string) =>
    ownerSql(
      api.services,
      `update access_tokens set expires_at = now() - interval '1 minute'
       where family_id in (select family_id from token_families where user_id = $1)`,
      [userId],
    );

  async function signedIn() {
    const user = await api.registerUser();
    const tokens = await clientOf({ credential: undefined }).login({
      body: { email: user.email, password: user.password },
    });
    const sets: TokenSet[] = [];
    const client = clientOf({ credential: { tokens, onTokens: (set) => void sets.push(set) } });
    return { user, client, sets };
  }

  test('that expired are refreshed once for twenty simultaneous calls, and the caller gets the new set', async () => {
    const { user, client, sets } = await signedIn();
    await anHourPasses(user.userId);
    const profiles = await Promise.all(Array.from({ length: 20 }, () => client.getProfile()));
    for (const profile of profiles) expect(profile).toMatchObject({ user_id: user.userId });
    expect(sets).toHaveLength(1);
    await anHourPasses(user.userId);
    await client.getProfile();
    expect(sets).toHaveLength(2);
  });

  test('of an expired sign-in cause a specific error, and a password signs in again', async () => {
    const { user, client } = await signedIn();
    await client.logout();
    await expect(client.getProfile()).rejects.toMatchObject({ status: 401 });
    const again = clientOf({ credential: { email: user.email, password: user.password } });
    await again.logout();
    expect(await again.getProfile()).toMatchObject({ user_id: user.userId });
  });

  test("are refreshed even if the refresh's response was lost", async () => {
    const { email, password, userId } = await api.registerUser();
    const tokens = await clientOf({ credential: undefined }).login({ body: { email, password } });
    const client = overTheProxy({ credential: { tokens } });
    await client.getProfile();
    await anHourPasses(userId);
    // The client receives the refusal of the old token, but the proxy drops the first response with new tokens.
    let asked = 0;
    const counting = overTheProxy({
      credential: { tokens },
      fetch: (request) => {
        if (request.url.endsWith('/refresh') && (asked += 1) === 1) proxy.cutNext(1);
        return fetch(request);
      },
    });
    expect(await counting.getProfile()).toMatchObject({ user_id: userId });
    expect(asked).toBe(2);
  });
});

describe('waiting', () => {
  test('ends when the payment ends', async () => {
    const allocation = await aWage('emp-wait');
    const { payment_id, status } = await clientOf().executePayment({
      body: rent(allocation, { execute_on: IN_HALF_A_YEAR }),
    });
    expect(status).toBe('pending');
    const ended = clientOf().untilPaymentEnds(payment_id);
    await clientOf().cancelPayment({ path: { payment_id } });
    expect(await ended).toMatchObject({ payment_id, status: 'cancelled' });
  });

  test('ends with an error that states the last status, and at once after an abort', async () => {
    const allocation = await aWage('emp-tired');
    const { payment_id } = await clientOf().executePayment({ body: rent(allocation, { execute_on: IN_HALF_A_YEAR }) });
    const tired = await clientOf()
      .untilPaymentEnds(payment_id, { timeoutMs: 300 })
      .catch((thrown: unknown) => thrown);
    expect(tired).toBeInstanceOf(WaitedTooLongError);
    expect(tired).toMatchObject({ last: { payment_id, status: 'pending' } });
    const giveUp = new AbortController();
    const waiting = clientOf().untilPaymentEnds(payment_id, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('the PII vault', () => {
  test('is reached with a client certificate, and refuses callers without one', async () => {
    const vaultKey = await api.apiKey(['write:vault', 'reveal:vault']);
    const client = clientOf({ vaultKey, fetch: tlsFetch({ ca, ...(await vaultClient()) }) });
    const data = { sort_code: '12-34-56', account_number: '12345678', account_holder_name: 'Ada Lovelace' };
    const { vault_ref } = await client.storeVaultRecord({
      body: { pii_type: 'employee_bank', owner_id: 'emp-1042', data },
    });
    expect(await client.getVaultRecord({ path: { vault_ref } })).toMatchObject({ data });
    await expect(clientOf({ vaultKey }).getVaultRecord({ path: { vault_ref } })).rejects.toMatchObject({ status: 401 });
    await expect(client.eraseVaultRecord({ path: { vault_ref } })).resolves.toBeUndefined();
    await expect(client.getVaultRecord({ path: { vault_ref } })).rejects.toMatchObject({ code: 'pii-erased' });
  });
});

describe('a document', () => {
  test('is uploaded as a form with its file', async () => {
    const key = await api.apiKey(['write:documents']);
    const file = new File(['no document'], 'payslip.pdf', { type: 'application/pdf' });
    const upload = clientOf({ credential: { apiKey: key } }).uploadPayslip({ body: { user_id: 'emp-1042', file } });
    await expect(upload).rejects.toMatchObject({ code: 'unsupported-document-type', status: 415 });
  });
});
