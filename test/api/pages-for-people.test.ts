import { once } from 'node:events';
import { request as sendPlainly, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { send } from '../../api/http/reply/answer.ts';
import { PROBLEMS } from '../../api/http/reply/problem.ts';
import { refusalFor } from '../../api/http/reply/refusals.ts';
import { requestId } from '../../api/http/request/id.ts';
import { plainPath } from '../../api/http/request/target.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { newVisitor } from '../helpers/visitor.ts';

const api = startApi({ env: { LIMIT_SIGN_INS_PER_MINUTE: '1000' } });
const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8';
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function expectPage({ status, headers, text: html }: TestAnswer, wanted: number, code: string): void {
  expect({ status, type: headers['content-type'], vary: headers.vary }).toEqual({
    status: wanted,
    type: 'text/html; charset=utf-8',
    vary: expect.stringMatching(/\bAccept\b/) as unknown,
  });
  expect(headers['content-security-policy']).toMatch(/^default-src 'none';.* style-src 'sha256-/);
  expect(html).toContain(`Error ${wanted} <code>${code}</code>`);
}

const RESET = '/api/v1/auth/reset-password';
const ADDRESSES: readonly (readonly [what: string, path: string, status: number, code: string])[] = [
  ['an address that takes only POST', '/api/v1/payments/execute', 405, 'method-not-allowed'],
  ['a mistyped address', '/signin', 404, 'not-found'],
  ['a mistyped address of the API', '/api/v1/auth/sign-inn', 404, 'not-found'],
  ['a mistyped address of the documentation', '/docs/guide/strat', 404, 'not-found'],
  ['an unknown error code', '/problems/nothing', 404, 'not-found'],
  ['an address that is not percent-encoded UTF-8', '/%ff', 400, 'invalid-request'],
  ['a link for setting a password that has expired', `${RESET}?token=rf_pr_x`, 401, 'invalid-reset-token'],
  ['a link without its token', RESET, 400, 'invalid-request'],
  ['an unknown credential', '/api/v1/credential/cred_none/verify', 404, 'not-found'],
  ['an operation that needs a token', '/api/v1/auth/me', 401, 'credentials-missing'],
];

test.each(ADDRESSES)(
  '%s is a page in a browser, and a problem document for a program',
  async (_, path, status, code) => {
    expectPage(await api.get(path, { headers: { accept: CHROME } }), status, code);
    const { headers, body, ...answer } = await api.get(path, {
      headers: { accept: 'application/json, text/plain, */*' },
    });
    expect(answer.status).toBe(status);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      vary: expect.stringContaining('Accept') as unknown,
    });
    expect(body).toMatchObject({ status, code });
  },
);

test.each([FIREFOX, 'text/html', 'text/html, application/json;q=0.9'])('%p gets a page', async (accept) => {
  expectPage(await api.get('/signin', { headers: { accept } }), 404, 'not-found');
});

test('a form sent to a mistyped address gets a page', async () => {
  const sent = await api.post('/api/v1/auth/sign-inn', { body: 'a=b', headers: { ...FORM, accept: CHROME } });
  expectPage(sent, 404, 'not-found');
});

test.each([undefined, '*/*', 'application/json;q=0.5, */*;q=0.5', 'image/*'])(
  'an API client that accepts %p gets a problem document',
  async (accept) => {
    for (const path of ['/api/v1/auth/sign-in', '/signin', '/problems/nothing', '/docs/nothing', '/api/v1/auth/me']) {
      const { headers } = await api.get(path, { headers: accept === undefined ? {} : { accept } });
      expect([path, headers['content-type']]).toEqual([path, 'application/problem+json']);
    }
  },
);

test('a JSON request gets a problem document, whatever it accepts', async () => {
  for (const path of ['/api/v1/auth/login', '/api/v1/engine/paycheck/calculate', '/nothing']) {
    const { headers } = await api.post(path, { body: {}, headers: { accept: CHROME } });
    expect([path, headers['content-type']]).toEqual([path, 'application/problem+json']);
  }
});

test('the page of a 401 keeps the challenge, and the page of a 405 the methods', async () => {
  const browser = { headers: { accept: CHROME } };
  expect((await api.get('/api/v1/auth/me', browser)).headers['www-authenticate']).toBe('Bearer realm="ringfence"');
  expect((await api.get('/api/v1/auth/sign-in', browser)).headers.allow).toBe('POST, OPTIONS');
});

test('a page says what to do next', async () => {
  const visitor = newVisitor(api);
  expect((await visitor.get('/api/v1/auth/sign-in')).text).toContain('Go back to the application or page');
  expect((await visitor.get('/api/v1/auth/me')).text).toContain('href="/docs"');
  expect((await visitor.get('/api/v1/auth/reset-password?token=rf_pr_x')).text).toContain('Ask for a new link');
});

describe('every error', () => {
  let server: Server;
  beforeAll(async () => {
    const app = express().use(requestId, plainPath);
    app.get('/:code', ({ params }, response) => {
      send(response, refusalFor(new DomainError(params.code as ErrorCode, 'The <reason>.'), response));
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  test('is a page for people, and a problem document for programs', async () => {
    for (const code of Object.keys(PROBLEMS) as ErrorCode[]) {
      const { status } = PROBLEMS[code];
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${code}`;
      const page = await fetch(address, { headers: { accept: CHROME } });
      expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      const html = await page.text();
      for (const part of [`Error ${status} <code>${code}</code>`, 'The &lt;reason&gt;.', `href="/problems/${code}"`])
        expect(html).toContain(part);
      const document = await fetch(address, { headers: { accept: '*/*' } });
      expect([document.status, await document.json()]).toMatchObject([status, { code, detail: 'The <reason>.' }]);
      for (const answer of [page, document]) expect(answer.headers.get('vary')).toBe('Accept');
    }
  });
});

describe('plain HTTP to the port that takes only HTTPS', () => {
  async function plainly(accept: string): Promise<{ answer: IncomingMessage; body: string }> {
    const asked = sendPlainly(`${api.url.replace('https:', 'http:')}/docs`, { headers: { accept } }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { answer, body: await text(answer) };
  }

  test('is a page that leads to https in a browser', async () => {
    const { answer, body } = await plainly(CHROME);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(body).toContain('href="https://localhost:');
  });
});
