import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { createExchanges } from '../../api/http/server/exchanges.ts';
import { SCOPES } from '../../domain/auth.ts';
import { createMetrics } from '../../infra/telemetry/metrics.ts';
import { startApi } from '../helpers/api.ts';
import { blindWriters, headOf } from '../helpers/blind-writer.ts';
import { newClient, postForm } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';

const MIB = 1_048_576;
const env = { MEMORY_FOR_CALLERS_MIB: '32', MEMORY_A_CALLER_MIB: '12' };
const api = startApi({ env: { ...env, LIMIT_TOKENS_PER_MINUTE: '10' } });
const open = blindWriters(api);
const half = (path: string, token: string) =>
  headOf(`POST ${path}`, {
    ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': 1_040_000 },
  }) + ' '.repeat(1_030_000);

test('unfinished bodies of one key are refused beyond its share, and others are served as before', async () => {
  const [key, { token }] = await Promise.all([api.apiKey(SCOPES), api.registerUser()]);
  const writers = await Promise.all(Array.from({ length: 20 }, open));
  for (const writer of writers) await writer.write(half('/api/v1/engine/paycheck/calculate', key));
  const [first] = await Promise.race(writers.map(async (writer) => [await writer.answer()] as const));
  expect(first).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
  expect(JSON.parse(first.text)).toMatchObject({ code: 'too-many-bytes', retry_after: 5 });
  expect((await api.get('/api/v1/auth/me', { token })).status).toBe(200);
  expect((await api.get('/api/v1/vault/balances', { token: key })).status).not.toBe(503);
  for (const writer of writers) writer.destroy();
  const again = () => api.post('/api/v1/engine/paycheck/simulate', { token: key, body: '{'.padEnd(40_000) });
  await until(async () => (await again()).status === 400, 'the share is free again');
});

test('a body of a sign-in may have 32 KiB, and is refused before more has arrived', async () => {
  const body = { email: 'long@example.org', password: 'a long enough passphrase' };
  const sized = (bytes: number) => JSON.stringify(body).padEnd(bytes);
  expect((await api.post('/api/v1/auth/login', { body: sized(32_768) })).status).toBe(401);
  const refused = await api.post('/api/v1/auth/login', { body: sized(32_769) });
  expect(refused).toMatchObject({ status: 413, body: { code: 'body-too-large', limit: 32_768 } });
});

test('an address may introspect and read the contract so often, and no more', async () => {
  const { clientId: client_id, secret: client_secret } = await newClient(api.services);
  const introspect = () => postForm(api, '/api/v1/auth/introspect', { token: 'x', client_id, client_secret });
  const statuses = await Promise.all(Array.from({ length: 510 }, async () => (await introspect()).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(500);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  const ca = await readFile(api.services.config.api.tls.ca);
  const dispatcher = new Agent({ connect: { ca } });
  const read = async (accepted: string) => {
    const headers = { 'accept-encoding': accepted };
    const answer = await request(`${api.url}/openapi.json`, { dispatcher, headers });
    return { headers: answer.headers, bytes: await answer.body.bytes() };
  };
  const [plain, br, gzip, refused] = await Promise.all(['', 'gzip, br', 'GZIP', 'br;q=0'].map(read));
  await dispatcher.close();
  const codings = [plain, br, gzip, refused].map((text) => text!.headers['content-encoding']);
  expect(codings).toEqual([undefined, 'br', 'gzip', undefined]);
  expect(brotliDecompressSync(br!.bytes).equals(plain!.bytes)).toBe(true);
  expect(gunzipSync(gzip!.bytes).equals(plain!.bytes)).toBe(true);
  expect(new Set([plain, br, gzip].map((text) => text!.headers.etag)).size).toBe(3);
  for (let turn = 0; turn < 6; turn += 1) await api.get('/openapi.json');
  expect(await api.get('/openapi.json')).toMatchObject({ status: 429, body: { code: 'rate-limited', limit: 10 } });
});

describe('a sweep', () => {
  function scene(headers: Record<string, string>) {
    let ms = 0;
    const metrics = createMetrics('test');
    const exchanges = createExchanges({ processBytes: 32 * MIB, callerBytes: 12 * MIB }, metrics, () => ms);
    const line = { remoteAddress: '192.0.2.1', bytesRead: 0, bytesWritten: 0, writableLength: 0 };
    const socket = Object.assign(new EventEmitter(), line, { destroy: () => undefined }) as unknown as Socket &
      typeof line;
    const request = { socket, complete: false, headers } as unknown as IncomingMessage & { complete: boolean };
    const response = Object.assign(new EventEmitter(), { headersSent: false });
    exchanges.connections.opened(socket, false);
    const exchange = exchanges.begin(request, response as unknown as ServerResponse, '192.0.2.1')!;
    const ended: string[] = [];
    Object.assign(socket, { destroy: () => ended.push('closed') });
    const after = (more: number) => {
      ms += more;
      exchanges.sweep(() => ended.push('late'));
      return ended;
    };
    return { exchange, response, request, socket, after };
  }

  test('ends a body after a minute, however steadily it arrives', () => {
    const { exchange, after } = scene({});
    for (let second = 0; second < 60; second += 10) {
      exchange.received(1);
      expect(after(10_000)).toEqual([]);
    }
    expect(after(1)).toEqual(['late']);
  });

  test('lets an upload take minutes, but not 30 seconds without a byte', () => {
    const { exchange, after } = scene({ 'content-type': 'multipart/form-data; boundary=b' });
    for (let second = 0; second < 200; second += 20) {
      exchange.received(100);
      expect(after(20_000)).toEqual([]);
    }
    expect(after(11_000)).toEqual(['late']);
  });

  test.each([
    ['30 seconds without progress', 0, 31_000],
    ['two minutes', 1_000, 121_000],
  ])('closes an unread answer after %s, and lets a request wait for its answer', (_, progress, untilMs) => {
    const { exchange, request, response, socket, after } = scene({});
    request.complete = true;
    expect(after(600_000)).toEqual([]);
    response.headersSent = true;
    exchange.sent(MIB);
    for (let ms = 0; ms < untilMs - 1_000; ms += 10_000) {
      socket.bytesWritten += progress;
      expect(after(10_000)).toEqual([]);
    }
    expect(after(1_001)).toEqual(['closed']);
    expect(after(10_000)).toEqual(['closed']);
  });
});
