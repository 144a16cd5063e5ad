import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { readContract } from '../../api/http/contract.ts';
import { parseBody } from '../../api/http/request/body.ts';
import { CallerGone } from '../../api/http/request/caller-gone.ts';
import { takeTurn } from '../../api/http/request/turns.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { blindWriters, chunkOf, headOf } from '../helpers/blind-writer.ts';
import { valueOf } from '../helpers/metrics.ts';
import { until } from '../helpers/until.ts';

const api = startApi();
const open = blindWriters(api);
const CALCULATE = '/api/v1/engine/paycheck/calculate';
const UPLOAD = '/api/v1/legacy/payslip/upload';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';

test('after requests of every odd kind, nothing is held', async () => {
  const key = await api.apiKey(SCOPES);
  const own = { Authorization: `Bearer ${key}` };
  const json = { ...own, 'Content-Type': 'application/json' };
  const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
  const form = { ...own, 'Content-Type': 'multipart/form-data; boundary=b' };
  const body = JSON.stringify({ employee_id: 'odd', gross_pay: 100_000, obligations: [] });
  const sized = { 'Content-Length': body.length };
  const whole = headOf(`POST ${CALCULATE}`, { ...json, ...sized, 'Idempotency-Key': 'odd' }) + body;
  const [me, contract] = [headOf('GET /api/v1/auth/me', own), headOf('GET /openapi.json', {})];
  const half = headOf(`POST ${CALCULATE}`, { ...json, 'Content-Length': 900_000 }) + 'x'.repeat(300_000);
  const torn = headOf(`POST ${CALCULATE}`, chunked) + chunkOf('x'.repeat(300_000)).toString() + 'zz\r\n';
  const upload = headOf(`POST ${UPLOAD}`, { ...form, 'Content-Length': 4_000_000 }) + FILE + 'x'.repeat(200_000);
  const continued = headOf(`POST ${CALCULATE}`, { ...json, ...sized, Expect: '100-continue' });
  const wait = { ...own, Prefer: 'wait=30' };
  const unread = [
    ...['', 'G', 'GET /livez HTTP/1.1\r\n', half, torn, upload, me + half, half + me, upload + upload],
    ...[me.repeat(30), contract.repeat(30), (me + whole + contract).repeat(5), contract + upload, whole.repeat(20)],
    ...[headOf('GET /api/v1/legacy/payslip/doc_x', wait).repeat(3), headOf('HEAD /openapi.json', {}).repeat(3) + me],
  ];
  const answered = [
    ...[whole, whole, me, contract, continued + body, torn, 'nonsense\r\n\r\n', 'GET /livez HTTP/1.0\r\n\r\n'],
    headOf('GET /openapi.json', { Connection: 'Upgrade', Upgrade: 'websocket' }),
    headOf('GET /livez', { 'X-Big': 'x'.repeat(40_000) }),
    headOf('OPTIONS *', {}),
    headOf('GET /%00%ff/..', { Connection: 'close' }),
    headOf('POST /api/v1/auth/login', { 'Content-Type': 'a/b', 'Content-Length': 40_000 }) + 'x'.repeat(40_000),
    headOf(`GET /livez`, { 'Content-Length': 70 }) + 'x'.repeat(70),
    headOf(`POST ${UPLOAD}`, { ...form, 'Content-Length': 300_010 }) + FILE + 'x'.repeat(300_010),
  ];
  const metric = async (name: string) =>
    valueOf(await api.services.metrics.registry.metrics(), `ringfence_${name}`, {});
  const writers = [await open()];
  await until(async () => (await metric('held_bytes')) > 0, 'the first count');
  for (const bytes of unread) {
    const [writer, cut] = [await open(), await open()];
    writers.push(writer);
    await Promise.all([writer.write(bytes), cut.write(bytes)].map((written) => written.catch(() => undefined)));
    cut.destroy();
  }
  for (const bytes of answered) {
    const writer = await open();
    await writer.write(bytes);
    await writer.answer().catch(() => undefined);
    writer.destroy();
  }
  for (const bytes of ['\x16\x03\x01', 'GET / HTTP/1.1\r\n\r\n']) {
    const plain = connect(Number(new URL(api.url).port), '127.0.0.1').on('error', () => undefined);
    await new Promise<void>((resolve) => plain.write(bytes, () => resolve()));
    plain.destroy();
  }
  for (const writer of writers) writer.destroy();
  const left = async () => Promise.all(['held_bytes', 'connections', 'http_requests_in_flight'].map(metric));
  await until(async () => (await left()).every((value) => value === 0), 'nothing to be held');
});

describe('a body', () => {
  const { document, operations } = readContract();
  const reading = (id: string, type: string) => {
    const request = Object.assign(new PassThrough(), {
      headers: { 'content-type': type, 'transfer-encoding': 'chunked' },
    });
    const response = Object.assign(new EventEmitter(), { locals: { address: '192.0.2.1' } });
    const parse = parseBody(
      operations.find((one) => one.id === id)!,
      document,
    );
    const read = parse(request as unknown as Request, response as unknown as Response, () => undefined);
    return { request, response, read: read as Promise<void> };
  };

  test.each([
    ['calculatePaycheck', 'application/json', '{"a":'],
    ['uploadPayslip', 'multipart/form-data; boundary=b', `${FILE}abc`],
  ])('of %s is no longer held when its response has been sent before its end', async (id, type, start) => {
    const { request, response, read } = reading(id, type);
    request.write(start);
    await new Promise(setImmediate);
    response.emit('close');
    await expect(read).rejects.toThrow(CallerGone);
    expect([request.listenerCount('data'), request.listenerCount('readable')]).toEqual([0, 0]);
    for (let piece = 0; piece < 100; piece += 1) request.write('x'.repeat(10_000));
    await until(() => request.readableLength === 0, 'the rest to be discarded');
  });
});

test('long bodies of one caller do not delay the next of another', async () => {
  const order: string[] = [];
  const turn = async (caller: string) => {
    await takeTurn(caller, 5_000);
    order.push(caller);
  };
  await Promise.all([...Array.from({ length: 20 }, () => turn('flood')), turn('other')]);
  expect(order.indexOf('other')).toBeLessThan(3);
});
