import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApi } from '../helpers/api.ts';
import { withBrowser } from '../helpers/browser.ts';
import { newClient, newCode, newPkce, REDIRECT_URI, type TestClient } from '../helpers/oauth.ts';

/* A browser app is a public client whose pages are on another origin. */

const api = startApi();
const browser = withBrowser();
let [own, foreign]: Server[] = [];
let [ownOrigin, foreignOrigin] = ['', ''];
let client: TestClient;
let person: { userId: string };

async function site(): Promise<[Server, string]> {
  const server = createServer((_asked, answer) => {
    answer.setHeader('Content-Type', 'text/html').end('<!doctype html><html lang="en"><title>An app</title>');
  }).listen(0, 'localhost');
  await once(server, 'listening');
  return [server, `http://localhost:${(server.address() as AddressInfo).port}`];
}

beforeAll(async () => {
  [own, ownOrigin] = await site();
  [foreign, foreignOrigin] = await site();
  client = await newClient(api.services, { isPublic: true, scopes: ['read:profile'], origins: [ownOrigin] });
  person = await api.registerUser();
});
afterAll(() => {
  for (const server of [own, foreign]) {
    server?.closeAllConnections();
    server?.close();
  }
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
    ownOrigin,
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
    ownOrigin,
    `return { token: (${EXCHANGE}).body.access_token };`,
    await aCode(),
  )) as {
    token: string;
  };
  const told = await fromPage(
    foreignOrigin,
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
  const other = await newClient(api.services, { isPublic: true, scopes: ['read:profile'], origins: [foreignOrigin] });
  const { verifier, challenge } = newPkce();
  const parts = { clientId: other.clientId, userId: person.userId, scopes: ['read:profile'] as const, challenge };
  const code = await newCode(api.services, parts);
  const { token: theirs } = (await fromPage(foreignOrigin, `return { token: (${EXCHANGE}).body.access_token };`, {
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
    expect(await fromPage(ownOrigin, `return call('${path}', bearer(token));`, { token })).toBe(
      'refused by the browser',
    );
});

describe('headers', () => {
  const preflight = (path: string, origin: string, method = 'GET') =>
    api.request('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } });

  test('a preflight needs no credential, and lists what a page may send', async () => {
    const { status, headers } = await preflight('/api/v1/payments/providers', ownOrigin, 'POST');
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ownOrigin,
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': expect.stringContaining('Authorization') as string,
      vary: expect.stringContaining('Origin') as string,
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  test.each([
    ['an origin that nobody registered', '/api/v1/payments', () => 'https://nobody.example'],
    ['no origin in particular', '/api/v1/payments', () => 'null'],
    ['sign-in with a password', '/api/v1/auth/login', () => ownOrigin],
    ['the PII vault', '/api/v1/vault/store', () => ownOrigin],
  ])('%s gets no permission', async (_what, path, origin) => {
    const { headers } = await preflight(path, origin(), 'POST');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('OPTIONS without a preflight lists the allowed methods', async () => {
    const { status, headers } = await api.request('OPTIONS', '/api/v1/payments', { headers: { origin: ownOrigin } });
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
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
