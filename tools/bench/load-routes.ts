import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { addMonths, type CalendarDate } from '../../domain/dates.ts';
import { emailOf, PASSWORD } from './accounts.ts';
import { sendPaced } from './paced.ts';
import { figuresOf, type RouteLoad } from './statistics.ts';

/** Each route comes soon after its baseline, because the machine's speed varies. `bare …` is on the bare server. */
export const ROUTES = [
  'bare Express',
  'bare validator',
  'bare insert',
  'bare select',
  'bare token check',
  'auth/me by key',
  'token introspection',
  'bare get',
  'auth/me of a user',
  'vault get',
  'bare transfer',
  'simulate',
  'calculate',
  'allocate',
  'transfer',
  'bare hot transfer',
  'hot allocate',
  'bare store',
  'vault store',
] as const;
/** Other parts of the bench measure `sign-in` and `accrue`. Only a test uses `execute payment`. */
export type RouteName = (typeof ROUTES)[number] | 'sign-in' | 'accrue' | 'execute payment';

export interface RouteJob {
  kind: 'route';
  route: RouteName;
  url: string;
  ca: string;
  /** The paths of PEM files. */
  client: { cert: string; key: string };
  /** The path of a JSON file with a `Cast`. */
  cast: string;
  seconds: number;
  /** Requests per second, at even intervals. If undefined, as many requests as possible are sent. */
  rate?: number;
  /** The default is 16. */
  connections?: number;
  /** Sends this many requests, however long they take. */
  requests?: number;
}

export interface Cast {
  owners: Owner[];
  hot: Owner;
  key: string;
  tokens: string[];
  bareTokens: string[];
  oauthClient: OauthClient;
  vaultRefs: string[];
  bareRefs: string[];
  /** Each pass of the `accrue` requests over these vaults accrues one more month. */
  savings?: { vaultIds: string[]; firstDay: CalendarDate };
}

export interface Owner {
  ownerId: string;
  fromVaultId: string;
  toVaultId: string;
  allocationId: string;
}

export interface OauthClient {
  client_id: string;
  client_secret: string;
  tokens: string[];
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  authorization?: string;
  vaultKey?: string;
  body?: object;
}

export const CONNECTIONS = 16;
/** In seconds. At full speed, the sender needs less time to warm up than `sendPaced`. */
const WARM_UP_S = 1;
const DAY_MS = 86_400_000;
const LAST_PAY_DATE = Date.now();

export async function loadRoute(job: RouteJob): Promise<RouteLoad> {
  const { route, url, cast: file, seconds, rate, connections = CONNECTIONS } = job;
  const cast = JSON.parse(readFileSync(file, 'utf8')) as Cast;
  const tlsOptions = url.startsWith('https') ? tlsOf(job) : {};
  const next = () => {
    const { method, path, authorization, vaultKey, body } = callOf(route, cast);
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(vaultKey !== undefined && { 'x-vault-api-key': vaultKey }),
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    };
    return { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
  };
  if (rate !== undefined) {
    const sent = await sendPaced({ url, tlsOptions, connections, rate, seconds, next });
    return { ...figuresOf(sent.eachMs, sent.seconds), count: sent.answered, refused: sent.refused };
  }
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({ ...request, ...next() });
  const end = job.requests === undefined ? { duration: WARM_UP_S + seconds } : { amount: job.requests };
  const load = { url, connections, ...end, tlsOptions, requests: [{ setupRequest }] };
  const eachMs: number[] = [];
  const from = performance.now() + WARM_UP_S * 1_000;
  let last = from;
  let count = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const done = (error: Error | null, all: autocannon.Result) => (error ? reject(error) : resolve(all));
    autocannon(load, done).on('response', (_client, status, _bytes, ms) => {
      if (status < 200 || status > 299) return;
      count += 1;
      const now = performance.now();
      if (now < from) return;
      last = now;
      eachMs.push(ms);
    });
  });
  return { ...figuresOf(eachMs, (last - from) / 1_000), count, refused: result.non2xx + result.errors };
}

function tlsOf({ route, ca, client }: RouteJob) {
  const trusted = { ca: readFileSync(ca) };
  if (!route.startsWith('vault')) return trusted;
  return { ...trusted, cert: readFileSync(client.cert), key: readFileSync(client.key) };
}

const ALLOCATE = { user_id: 'bench-1', vault_type: 'SAVINGS', amount: 1, label: 'rainy day' };
const BANK_DETAILS = { sort_code: '123456', account_number: '12345678', account_holder_name: 'A Person of the Bench' };

function callOf(route: RouteName, cast: Cast): Call {
  const { owners, hot, key, tokens, bareTokens, oauthClient, vaultRefs, bareRefs } = cast;
  const authorization = `Bearer ${key}`;
  const post = (path: string, body: object): Call => ({ method: 'POST', path: `/api/v1${path}`, authorization, body });
  const owner = oneOf(owners);
  const number = owners.indexOf(owner);
  switch (route) {
    case 'bare Express':
      return { method: 'POST', path: '/express', body: ALLOCATE };
    case 'bare validator':
      return { method: 'POST', path: '/api/v1/allocations/allocate', body: ALLOCATE };
    case 'bare insert':
      return { method: 'POST', path: '/insert', body: { note: 'a note of thirty characters ...' } };
    case 'bare token check':
      return { method: 'GET', path: '/token', authorization: `Bearer ${oneOf(bareTokens)}` };
    case 'bare transfer':
      return { method: 'POST', path: '/transfer', body: { from: 2 * number, to: 2 * number + 1, amount: 1 } };
    case 'bare hot transfer':
      return { method: 'POST', path: '/transfer', body: { from: 0, to: 2 * number + 1, amount: 1 } };
    case 'bare select':
      return { method: 'GET', path: `/note/${oneOf(bareRefs)}` };
    case 'bare store':
      return { method: 'POST', path: '/store', body: BANK_DETAILS };
    case 'bare get':
      return { method: 'GET', path: `/get/${oneOf(bareRefs)}` };
    case 'vault store': {
      const body = { pii_type: 'employee_bank', owner_id: owner.ownerId, data: BANK_DETAILS };
      return { method: 'POST', path: '/api/v1/vault/store', vaultKey: key, body };
    }
    case 'vault get':
      return { method: 'GET', path: `/api/v1/vault/${oneOf(vaultRefs)}`, vaultKey: key };
    case 'auth/me by key':
      return { method: 'GET', path: '/api/v1/auth/me', authorization };
    case 'auth/me of a user':
      return { method: 'GET', path: '/api/v1/auth/me', authorization: `Bearer ${oneOf(tokens)}` };
    case 'token introspection': {
      const { tokens: issued, ...credentials } = oauthClient;
      const body = { token: oneOf(issued), ...credentials };
      return { method: 'POST', path: '/api/v1/auth/introspect', body };
    }
    case 'simulate':
      return post('/engine/paycheck/simulate', paycheck(owner.ownerId));
    case 'calculate':
      return post('/engine/paycheck/calculate', paycheck(owner.ownerId));
    case 'allocate':
      return post('/allocations/allocate', {
        user_id: owner.ownerId,
        vault_type: 'SAVINGS',
        amount: 1,
        label: 'rainy day',
      });
    case 'hot allocate':
      return post('/allocations/allocate', {
        user_id: hot.ownerId,
        vault_type: 'SAVINGS',
        amount: 1,
        label: 'rainy day',
      });
    case 'sign-in':
      return {
        method: 'POST',
        path: '/api/v1/auth/login',
        body: { email: emailOf(Math.floor(Math.random() * tokens.length)), password: PASSWORD },
      };
    case 'execute payment':
      return post('/payments/execute', {
        vault_allocation_id: owner.allocationId,
        amount: 1,
        currency: 'GBP',
        provider_id: 'prov_sandbox_instant',
        reference: 'BENCH',
      });
    case 'accrue':
      return post('/engine/yield/accrue', nextAccrual(cast.savings!));
    case 'transfer': {
      const { ownerId: user_id, fromVaultId: from_vault_id, toVaultId: to_vault_id } = owner;
      return post('/allocations/transfer', { user_id, from_vault_id, to_vault_id, amount: 1 });
    }
  }
}

let accrued = 0;

/** After the last vault, starts again with the next month. */
function nextAccrual({ vaultIds, firstDay }: NonNullable<Cast['savings']>) {
  const number = accrued++;
  const months = Math.floor(number / vaultIds.length);
  return { vault_id: vaultIds[number % vaultIds.length], as_of: addMonths(firstDay, months) };
}

// With 3,600 pay days, few requests revise an existing paycheck.
function paycheck(ownerId: string) {
  const day = new Date(LAST_PAY_DATE - Math.floor(Math.random() * 3_600) * DAY_MS).toISOString().slice(0, 10);
  const obligations = ['Rent', 'Council tax', 'Energy', 'Water', 'Holiday'].map((type, place) => ({
    type,
    amount: 10_000 * (place + 1),
    category: place === 4 ? 'SAVINGS' : 'FIXED',
  }));
  return { employee_id: ownerId, gross_pay: 300_000, pay_date: day, obligations };
}

function oneOf<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)]!;
}
