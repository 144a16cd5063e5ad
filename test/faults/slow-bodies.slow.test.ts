import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readContract } from '../../api/http/contract.ts';
import type { Log, LogFields } from '../../infra/telemetry/log.ts';
import { startApi } from '../helpers/api.ts';
import { blindWriter, headOf, targetOf, type BlindWriter } from '../helpers/blind-writer.ts';
import { valueOf } from '../helpers/metrics.ts';

const logged: LogFields[] = [];
const tell = (fields: LogFields, message: string) => logged.push({ ...fields, message });
const log = { debug: tell, info: tell, warn: tell, error: tell } as unknown as Log;
const api = startApi({ log });

const writers: BlindWriter[] = [];
const open = async () => {
  const writer = await blindWriter(api);
  writers.push(writer);
  return writer;
};
afterAll(() => {
  for (const writer of writers) writer.destroy();
});

const routes = readContract('sandbox').operations.filter(({ bodyTypes }) => bodyTypes.length > 0);
const REGISTER = '/api/v1/auth/register';

/** Sends a byte every half second until the connection closes. @returns how many seconds that took. */
async function drip(writer: BlindWriter): Promise<number> {
  const started = performance.now();
  try {
    for (;;) {
      await writer.write('x');
      await sleep(500);
    }
  } catch {
    return (performance.now() - started) / 1_000;
  }
}

test('every route answers a refused client that sends byte by byte, and closes the connection within 45 seconds', async () => {
  const dripping = routes.map(async (route) => {
    const writer = await open();
    await writer.write(headOf(targetOf(route), { 'Content-Type': 'a/b', 'Content-Length': 1_000_000 }));
    const open_s = drip(writer);
    // The body is still being sent.
    await sleep(9_000);
    const { status } = await writer.answer();
    return { status, seconds: await open_s };
  });
  const answers = await Promise.all(dripping);
  expect(answers.filter(({ status }) => ![400, 401, 415].includes(status))).toEqual([]);
  expect(answers.filter(({ seconds }) => seconds > 45)).toEqual([]);
});

test('a connection that sends nothing is closed after ten seconds', async () => {
  const began = performance.now();
  await once(connect({ host: '127.0.0.1', port: Number(new URL(api.url).port) }).resume(), 'close');
  // Node's own limit for a handshake is two minutes.
  expect(performance.now() - began).toBeGreaterThan(9_000);
  expect(performance.now() - began).toBeLessThan(60_000);
});

// The minute of the next test passes meanwhile.
const body = JSON.stringify({ email: 'slow@example.test', password: 'a long enough passphrase' });
let slowWriter: BlindWriter;
beforeAll(async () => {
  slowWriter = await open();
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-Request-Id': 'slow' };
  await slowWriter.write(headOf(`POST ${REGISTER}`, headers) + body.slice(0, 10));
});

test('a body that takes longer than a minute gets a 408, counts in the metrics, and has no effect', async () => {
  const writer = slowWriter;
  const answer = await writer.answer();
  expect(answer).toMatchObject({ status: 408, headers: { connection: 'close', 'x-request-id': 'slow' } });
  expect(JSON.parse(answer.text)).toMatchObject({ code: 'request-timeout', instance: `${REGISTER}#slow` });
  await writer.write(body.slice(10));
  await writer.ended();
  expect((await api.post('/api/v1/auth/login', { body: JSON.parse(body) as unknown })).status).toBe(401);
  expect(await inFlight()).toBe(0);
  const text = await api.services.metrics.registry.metrics();
  const labels = { operation: 'registerUser', method: 'POST', status: '408' };
  expect(valueOf(text, 'ringfence_http_requests_total', labels)).toBe(1);
  const lines = logged.filter(({ request_id, message }) => request_id === 'slow' && message === 'answered');
  expect(lines).toEqual([expect.objectContaining({ operation: 'registerUser', status: 408 })]);
});

async function inFlight(): Promise<number> {
  return valueOf(await api.services.metrics.registry.metrics(), 'ringfence_http_requests_in_flight');
}
