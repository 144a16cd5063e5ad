import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Owner } from './seed.ts';

/** What can be asked for. `bare …` is for the bare server, the rest for the service. */
export const ROUTES = [
  'bare insert',
  'bare token check',
  'bare transfer',
  'bare hot transfer',
  'bare select',
  'bare store',
  'bare get',
  'auth/me by key',
  'auth/me of a user',
  'calculate',
  'allocate',
  'transfer',
  'hot allocate',
  'vault store',
  'vault get',
] as const;
export type RouteName = (typeof ROUTES)[number];

export interface RouteJob {
  kind: 'route';
  route: RouteName;
  url: string;
  ca: string;
  /** Certificate and key of a client of the vault, as files. */
  client: { cert: string; key: string };
  /** A JSON file of `Cast`. */
  cast: string;
  seconds: number;
  /** Requests a second; as many as go without it. */
  rate?: number;
}

/** Whom the requests are about and who sends them. */
export interface Cast {
  owners: Owner[];
  hot: Owner;
  key: string;
  tokens: string[];
  bareTokens: string[];
  vaultRefs: string[];
  bareRefs: string[];
}

export interface RouteLoad {
  /** Requests that were answered as they should be. */
  count: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  refused: number;
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  authorization?: string;
  vaultKey?: string;
  body?: object;
}

const CONNECTIONS = 16;
const DAY_MS = 86_400_000;
const LAST_PAY_DATE = Date.now();

/** Sends one kind of request over and over, each with its own values and, where it moves something, its own key. */
export async function loadRoute(job: RouteJob): Promise<RouteLoad> {
  const { route, url, cast: file, seconds, rate } = job;
  const cast = JSON.parse(readFileSync(file, 'utf8')) as Cast;
  const tlsOptions = url.startsWith('https') ? tlsOf(job) : {};
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { method, path, authorization, vaultKey, body } = callOf(route, cast);
    const headers = {
      ...(authorization !== undefined && { authorization }),
      ...(vaultKey !== undefined && { 'x-vault-api-key': vaultKey }),
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    };
    return { ...request, method, path, headers, ...(body && { body: JSON.stringify(body) }) };
  };
  const paced = rate === undefined ? {} : { overallRate: Math.max(CONNECTIONS, Math.round(rate)) };
  const load = { url, connections: CONNECTIONS, duration: seconds, tlsOptions, requests: [{ setupRequest }], ...paced };
  const result = await autocannon(load);
  return {
    count: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refused: result.non2xx + result.errors,
  };
}

function tlsOf({ route, ca, client }: RouteJob) {
  const trusted = { ca: readFileSync(ca) };
  if (!route.startsWith('vault')) return trusted;
  return { ...trusted, cert: readFileSync(client.cert), key: readFileSync(client.key) };
}

const BANK_DETAILS = { sort_code: '123456', account_number: '12345678', account_holder_name: 'A Person of the Bench' };

function callOf(route: RouteName, cast: Cast): Call {
  const { owners, hot, key, tokens, bareTokens, vaultRefs, bareRefs } = cast;
  const authorization = `Bearer ${key}`;
  const post = (path: string, body: object): Call => ({ method: 'POST', path: `/api/v1${path}`, authorization, body });
  const owner = oneOf(owners);
  const number = owners.indexOf(owner);
  switch (route) {
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
    case 'transfer': {
      const { ownerId: user_id, fromVaultId: from_vault_id, toVaultId: to_vault_id } = owner;
      return post('/allocations/transfer', { user_id, from_vault_id, to_vault_id, amount: 1 });
    }
  }
}

/** On one of some thousand days, so that hardly any is a revision. */
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
