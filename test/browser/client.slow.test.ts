import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { request as send } from 'undici';
import { startApi } from '../helpers/api.ts';
import { withBrowser } from '../helpers/browser.ts';

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
