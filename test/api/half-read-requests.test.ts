import { readContract, resolve, type Node } from '../../api/http/contract.ts';
import { SCOPES } from '../../domain/auth.ts';
import type { Log, LogFields } from '../../infra/telemetry/log.ts';
import { startApi } from '../helpers/api.ts';
import { blindWriters, chunkOf, headOf, type RawAnswer } from '../helpers/blind-writer.ts';
import { valueOf } from '../helpers/metrics.ts';
import { until } from '../helpers/until.ts';

const logged: LogFields[] = [];
const note = (fields: LogFields, message: string) => void logged.push({ ...fields, message });
const log = { debug: note, info: note, warn: note, error: note } as unknown as Log;
const api = startApi({ log, env: { LIMIT_CREDENTIALS_PER_MINUTE: '3' } });
let key: string;
let poorKey: string;
beforeAll(async () => {
  key = await api.apiKey(SCOPES);
  poorKey = await api.apiKey(['read:paycheck']);
});

const open = blindWriters(api);
const MEGABYTE = Buffer.alloc(1_000_000, 'x');
const JSON_TYPE = 'application/json';
const EXECUTE = '/api/v1/payments/execute';
const CALCULATE = '/api/v1/engine/paycheck/calculate';
const UPLOAD = '/api/v1/legacy/payslip/upload';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';

async function counted(labels: Record<string, string>): Promise<number> {
  return valueOf(await api.services.metrics.registry.metrics(), 'ringfence_http_requests_total', labels);
}

async function answerTo(...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  const writer = await open();
  for (const piece of pieces) await writer.write(piece);
  return writer.answer();
}

const megabytes = (count: number) => Array.from({ length: count }, () => MEGABYTE);

describe('a request whose body never arrives completely', () => {
  const json = (token: string) => ({ Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE });
  const form = (more: string) => ({ Authorization: `Bearer ${key}`, 'Content-Type': `multipart/form-data${more}` });
  test.each([
    ['401', 'executePayment', 'POST', EXECUTE, () => ({ 'Content-Type': JSON_TYPE }), []],
    ['403', 'calculatePaycheck', 'POST', CALCULATE, () => json(poorKey), []],
    ['413', 'calculatePaycheck', 'POST', CALCULATE, () => json(key), megabytes(2)],
    ['413', 'uploadPayslip', 'POST', UPLOAD, () => form('; boundary=b'), [FILE, ...megabytes(6)]],
    ['400', 'uploadPayslip', 'POST', UPLOAD, () => form(''), ['hello']],
    ['415', 'calculatePaycheck', 'POST', CALCULATE, () => ({ ...json(key), 'Content-Type': 'a/b' }), []],
    ['404', 'none', 'POST', '/nothing-here', () => ({}), []],
    ['405', 'none', 'DELETE', EXECUTE, () => ({}), []],
  ] as const)('%s: %s counts with its status and its route', async (status, operation, method, path, headers, body) => {
    const before = await counted({ operation, method, status });
    logged.length = 0;
    const head = headOf(`${method} ${path}`, { ...headers(), 'Content-Length': 40_000_000, 'X-Request-Id': 'half' });
    const answer = await answerTo(head, ...body);
    expect(String(answer.status)).toBe(status);
    await until(async () => (await counted({ operation, method, status })) === before + 1, `${operation} ${status}`);
    const lines = logged.filter(({ message }) => message === 'answered');
    // The service logs `answered` only for operations of the contract.
    const line = { request_id: 'half', operation, status: Number(status) };
    expect(lines).toEqual(operation === 'none' ? [] : [expect.objectContaining(line)]);
    expect(await counted({ status: 'gone' })).toBe(0);
  });

  test('429 counts with its status and its route', async () => {
    const labels = { operation: 'login', method: 'POST', status: '429' };
    const head = headOf('POST /api/v1/auth/login', { 'Content-Type': 'a/b', 'Content-Length': 40_000_000 });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await answerTo(head)).status);
    expect(statuses).toEqual([415, 415, 415, 429, 429]);
    await until(async () => (await counted(labels)) === 2, 'both are counted');
  });

  test('a body that breaks the rules of chunks gets one 400, which counts with its route', async () => {
    const before = await counted({ operation: 'calculatePaycheck', status: '400' });
    logged.length = 0;
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': JSON_TYPE, 'Transfer-Encoding': 'chunked' };
    const writer = await open();
    await writer.write(headOf(`POST ${CALCULATE}`, { ...headers, 'X-Request-Id': 'torn' }) + '5\r\n{"a":\r\nzz\r\n');
    for (const piece of megabytes(40)) await writer.write(piece);
    const answer = await writer.answer();
    expect(answer).toMatchObject({ status: 400, headers: { connection: 'close', 'x-request-id': 'torn' } });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'invalid-request', instance: `${CALCULATE}#torn` });
    await writer.ended();
    await expect(writer.answer()).rejects.toThrow('the connection ended without an answer');
    expect(await counted({ operation: 'calculatePaycheck', status: '400' })).toBe(before + 1);
    expect(logged.filter(({ message }) => message === 'answered')).toEqual([
      expect.objectContaining({ request_id: 'torn', operation: 'calculatePaycheck', status: 400 }),
    ]);
  });

  test('bytes that break the rules of chunks after the response get no second response', async () => {
    const writer = await open();
    await writer.write(headOf(`POST ${CALCULATE}`, { 'Transfer-Encoding': 'chunked' }) + '5\r\n{"a":\r\n');
    expect((await writer.answer()).status).toBe(401);
    await writer.write('zz\r\n');
    await writer.ended();
    await expect(writer.answer()).rejects.toThrow('the connection ended without an answer');
  });
});

describe('headers that are too large', () => {
  const tooLarge = { 'X-Big': 'x'.repeat(40_000) };

  test('get the 431 that each operation declares, and count, although their route is unknown', async () => {
    const labels = { operation: 'none', method: 'other', status: '431' };
    const before = await counted(labels);
    const { status, headers, text } = await answerTo(headOf('GET /livez', tooLarge));
    expect(status).toBe(431);
    expect(headers).toMatchObject({ connection: 'close', 'content-type': 'application/problem+json' });
    const problem = JSON.parse(text) as Node;
    expect(problem.instance).toBe(`/#${headers['x-request-id']}`);
    const { document, operations } = readContract('sandbox');
    for (const { id, responses } of operations) {
      const content = resolve(document, responses['431']).content as Record<string, Node>;
      const example = content['application/problem+json']!.example as Node;
      expect([id, { ...example, instance: problem.instance }]).toEqual([id, problem]);
    }
    expect(await counted(labels)).toBe(before + 1);
  });

  test('get their response even if 40 MB of body follow before the client reads', async () => {
    const head = headOf(`POST ${CALCULATE}`, { ...tooLarge, 'Content-Length': 40_000_000 });
    expect((await answerTo(head, ...megabytes(40))).status).toBe(431);
  });
});

test('a request with two Host headers counts as a 400', async () => {
  const before = await counted({ operation: 'none', status: '400' });
  const answer = await answerTo('GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
  expect(answer.status).toBe(400);
  expect(await counted({ operation: 'none', status: '400' })).toBe(before + 1);
});

test('a chunked body of more than 100 MB gets its refusal, and then the connection closes', async () => {
  const writer = await open();
  await writer.write(headOf(`POST ${CALCULATE}`, { 'Transfer-Encoding': 'chunked' }));
  for (const piece of megabytes(100)) await writer.write(chunkOf(piece));
  expect((await writer.answer()).status).toBe(401);
  const started = performance.now();
  await writer.ended();
  // Node itself would close the connection after a minute.
  expect(performance.now() - started).toBeLessThan(30_000);
});

test('HTTP/1.0 and Connection: close get their response after 40 MB that were refused', async () => {
  for (const head of [
    `POST ${CALCULATE} HTTP/1.0\r\nContent-Length: 40000000\r\n\r\n`,
    headOf(`POST ${CALCULATE}`, { 'Content-Length': 40_000_000, Connection: 'close' }),
  ])
    expect((await answerTo(head, ...megabytes(40))).status).toBe(401);
});
