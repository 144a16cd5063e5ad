import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { request as send } from 'undici';
import { startApi } from '../helpers/api.ts';
import { withBrowser, withOtherSite } from '../helpers/browser.ts';
import { newClient, newCode, newPkce, REDIRECT_URI, type TestClient } from '../helpers/oauth.ts';

// API keys are for servers, so the page calls its own origin, and a gateway forwards /api/ to the service.

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = `<!doctype html><html lang="en"><title>An application</title>
<script type="importmap">{ "imports": { "@ringfence/client": "/client/index.ts", "openapi-fetch": "/openapi-fetch.mjs" } }</script>`;

const api = startApi();
const browser = withBrowser();
let gateway: Server;
let origin = '';
let keys: { key: string; token: string };

beforeAll(async () => {
  gateway = createServer((asked, answer) => void serve(asked, answer)).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const { token } = await api.registerUser();
  keys = { key: await api.apiKey(['write:paycheck', 'read:paycheck', 'write:payments']), token };
});
afterAll(() => {
  gateway.closeAllConnections();
  gateway.close();
});

async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(asked.url ?? '/', origin);
  const module = /^\/client\/(\w+\.ts)$/.exec(pathname)?.[1];
  const script = (text: string) => answer.setHeader('Content-Type', 'text/javascript').end(text);
  if (module !== undefined) script(stripTypeScriptTypes(readFileSync(join(ROOT, 'client/src', module), 'utf8')));
  else if (pathname === '/openapi-fetch.mjs')
    script(readFileSync(join(ROOT, 'node_modules/openapi-fetch/dist/index.mjs'), 'utf8'));
  else if (pathname.startsWith('/api/')) await passOn(asked, `${api.plainUrl}${pathname}${search}`, answer);
  else answer.setHeader('Content-Type', 'text/html').end(PAGE);
}

async function passOn(asked: IncomingMessage, url: string, answer: ServerResponse): Promise<void> {
  const { host: _host, connection: _connection, ...headers } = asked.headers;
  const method = asked.method as 'GET';
  const got = await send(url, { method, headers, body: method === 'GET' ? null : asked });
  const { 'transfer-encoding': _encoding, ...passed } = got.headers;
  answer.writeHead(got.statusCode, passed);
  answer.end(Buffer.from(await got.body.arrayBuffer()));
}

/** Runs an async function's body in the page, with the client module and the test's keys. */
async function inPage(body: string): Promise<{ told: unknown; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${origin}/`);
  const parts = JSON.stringify({ ...keys, baseUrl: origin, elsewhere: api.url });
  const told: unknown = await page.evaluate(`(async () => {
    const { createClient, isProblem, itemsOf, NoAnswerError } = await import('@ringfence/client');
    const { key, token, baseUrl, elsewhere } = ${parts};
    ${body}
  })()`);
  return { told, complaints };
}

test('a page calls through its own origin, with a new idempotency key for each change', async () => {
  const { told, complaints } = await inPage(`
    const client = createClient({ baseUrl, credential: { apiKey: key } });
    const body = { employee_id: 'emp-1042', gross_pay: 284735, obligations: [{ type: 'Rent', amount: 95000, category: 'FIXED' }] };
    const first = await client.calculatePaycheck({ body });
    const second = await client.calculatePaycheck({ body });
    const listed = [];
    const page = (cursor) => client.listPaychecks({ query: { employee_id: 'emp-1042', limit: 1, cursor } });
    for await (const { id } of itemsOf(page)) listed.push(id);
    return { first, ids: [first.id, second.id], listed };
  `);
  const { first, ids, listed } = told as { first: object; ids: string[]; listed: string[] };
  expect(first).toMatchObject({ locked_buffer: 28_474 });
  expect(new Set(ids).size).toBe(2);
  expect(listed.sort()).toEqual(ids.sort());
  expect(complaints).toEqual([]);
});

test('a refusal is a typed error in a page too', async () => {
  const { told } = await inPage(`
    const client = createClient({ baseUrl, credential: { apiKey: key } });
    const body = { vault_allocation_id: 'alloc_none', amount: 100, currency: 'GBP', provider_id: 'prov_sandbox_instant' };
    const error = await client.executePayment({ body }).catch((thrown) => thrown);
    return { isProblem: isProblem(error), status: error.status, code: error.code };
  `);
  expect(told).toEqual({ isProblem: true, status: 422, code: 'unknown-allocation' });
});

test('a page of another origin gets no response, because the service allows no origins', async () => {
  const { told, complaints } = await inPage(`
    const client = createClient({ baseUrl: elsewhere, credential: { apiKey: key }, retry: { attempts: 1 } });
    const error = await client.listPaychecks({}).catch((thrown) => thrown);
    return error instanceof NoAnswerError;
  `);
  expect(told).toBe(true);
  expect(complaints.join('\n')).toContain('CORS policy');
  const preflight = await api.request('OPTIONS', '/api/v1/engine/paycheck', { headers: { origin } });
  expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

describe('an app of another origin, which is a public client,', () => {
  const own = withOtherSite();
  const foreign = withOtherSite();
  let client: TestClient;
  let person: { userId: string };
  beforeAll(async () => {
    client = await newClient(api.services, { isPublic: true, scopes: ['read:profile'], origins: [own.origin] });
    person = await api.registerUser();
  });

  /** Returns what `body` returns. */
  async function fromPage(origin: string, body: string, values: object = {}): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(`${origin}/`);
    return page.evaluate(`(async () => {
      const service = ${JSON.stringify(api.url)};
      const { client_id, code, verifier, token, redirect_uri } = ${JSON.stringify({ client_id: client.clientId, redirect_uri: REDIRECT_URI, ...values })};
      const call = async (path, init) => {
        try {
          const response = await fetch(service + path, init);
          const text = await response.text();
          return { status: response.status, body: text === '' ? null : JSON.parse(text), requestId: response.headers.get('x-request-id') };
        } catch {
          return 'refused by the browser';
        }
      };
      const form = (fields) => ({ method: 'POST', body: new URLSearchParams(fields) });
      const bearer = (token) => ({ headers: { Authorization: 'Bearer ' + token } });
      ${body}
    })()`);
  }

  async function aCode() {
    const { verifier, challenge } = newPkce();
    const parts = { clientId: client.clientId, userId: person.userId, scopes: ['read:profile'] as const, challenge };
    return { verifier, code: await newCode(api.services, parts) };
  }

  const EXCHANGE = `await call('/api/v1/auth/token', form({ grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier: verifier }))`;

  test('a page of a registered origin finds the endpoints, gets a token, calls with it and revokes it', async () => {
    const told = await fromPage(
      own.origin,
      `
      const discovery = await call('/.well-known/oauth-authorization-server');
      const tokens = ${EXCHANGE};
      const { access_token } = tokens.body;
      const profile = await call('/api/v1/auth/me', bearer(access_token));
      const forbidden = await call('/api/v1/payments', bearer(access_token));
      const revoked = await call('/api/v1/auth/revoke', form({ token: access_token, client_id }));
      const after = await call('/api/v1/auth/me', bearer(access_token));
      return { discovery: discovery.status, tokens: tokens.status, profile, forbidden, revoked: revoked.status, after };`,
      await aCode(),
    );
    expect(told).toMatchObject({
      discovery: 200,
      tokens: 200,
      profile: { status: 200, body: { user_id: person.userId }, requestId: expect.any(String) as string },
      forbidden: { status: 403, body: { code: 'insufficient-scope' } },
      revoked: 200,
      after: { status: 401, body: { code: 'invalid-token' } },
    });
  });

  test('a page of another origin reads nothing, even with a token of the client', async () => {
    const { token } = (await fromPage(
      own.origin,
      `return { token: (${EXCHANGE}).body.access_token };`,
      await aCode(),
    )) as {
      token: string;
    };
    const told = await fromPage(
      foreign.origin,
      `return [
        await call('/.well-known/oauth-authorization-server'),
        await call('/api/v1/auth/revoke', form({ token: 'x', client_id })),
        await call('/api/v1/auth/me', bearer(token)),
      ];`,
      { token },
    );
    expect(told).toEqual(Array.from({ length: 3 }, () => 'refused by the browser'));
  });

  test('a page of a registered origin reads nothing with an API key, a sign-in by password or another client’s token', async () => {
    const other = await newClient(api.services, {
      isPublic: true,
      scopes: ['read:profile'],
      origins: [foreign.origin],
    });
    const { verifier, challenge } = newPkce();
    const parts = { clientId: other.clientId, userId: person.userId, scopes: ['read:profile'] as const, challenge };
    const code = await newCode(api.services, parts);
    const { token: theirs } = (await fromPage(foreign.origin, `return { token: (${EXCHANGE}).body.access_token };`, {
      client_id: other.clientId,
      code,
      verifier,
    })) as { token: string };
    const { token: ownSignIn } = await api.registerUser();
    const key = await api.apiKey(['read:payments']);
    for (const [path, token] of [
      ['/api/v1/payments', key],
      ['/api/v1/auth/me', ownSignIn],
      ['/api/v1/auth/me', theirs],
    ])
      expect(await fromPage(own.origin, `return call('${path}', bearer(token));`, { token })).toBe(
        'refused by the browser',
      );
  });

  describe('headers', () => {
    const preflight = (path: string, origin: string, method = 'GET') =>
      api.request('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } });

    test('a preflight needs no credential, and lists what a page may send', async () => {
      const { status, headers } = await preflight('/api/v1/payments/providers', own.origin, 'POST');
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': own.origin,
        'access-control-allow-methods': 'GET,POST',
        'access-control-allow-headers': expect.stringContaining('Authorization') as string,
        vary: expect.stringContaining('Origin') as string,
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    });

    test.each([
      ['an origin that nobody registered', '/api/v1/payments', () => 'https://nobody.example'],
      ['no origin in particular', '/api/v1/payments', () => 'null'],
      ['sign-in with a password', '/api/v1/auth/login', () => own.origin],
      ['the PII vault', '/api/v1/vault/store', () => own.origin],
    ])('%s gets no permission', async (_what, path, origin) => {
      const { headers } = await preflight(path, origin(), 'POST');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    });
  });
});

test.each([
  'https://app.example.com/',
  'http://app.example.com',
  'app.example.com',
  '*',
  'null',
  'https://APP.example.com',
])('%s cannot be registered as an origin', async (origin) => {
  await expect(newClient(api.services, { isPublic: true, origins: [origin] })).rejects.toMatchObject({
    code: 'invalid-request',
  });
});
