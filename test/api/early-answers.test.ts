import { setTimeout as sleep } from 'node:timers/promises';
import { readContract, type Operation } from '../../api/http/contract.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { beginningOf, blindWriter, chunkOf, headOf, targetOf, type BlindWriter } from '../helpers/blind-writer.ts';

const api = startApi({ env: { LIMIT_CREDENTIALS_PER_MINUTE: '1000000', LIMIT_TOKENS_PER_MINUTE: '1000000' } });
let key: string;
beforeAll(async () => {
  key = await api.apiKey(SCOPES);
});

const writers: BlindWriter[] = [];
const open = async () => {
  const writer = await blindWriter(api);
  writers.push(writer);
  return writer;
};
afterEach(() => {
  for (const writer of writers.splice(0)) writer.destroy();
});

/** Node itself would end a request after a minute. */
const LATE_MS = 40_000;
const MEGABYTE = Buffer.alloc(1_000_000, 'x');
// Exceeds the socket buffers of both sides together.
const LARGE = 12_000_000;
const HUGE = 40_000_000;
const BEYOND = 100_000_000;
const routes = readContract('sandbox').operations.filter(({ bodyTypes }) => bodyTypes.length > 0);
const everyRoute = routes.map(targetOf);
const everyKind = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((kind) =>
  targetOf(routes.find(({ bodyTypes }) => bodyTypes.includes(kind))!),
);

// An operation checks some credentials before it reads the body.
const credentialFor = ({ credential }: Operation): Record<string, string> =>
  credential === 'vault' ? { 'X-Vault-API-Key': key } : { Authorization: `Bearer ${key}` };

async function sendWhole(
  writer: BlindWriter,
  head: string,
  { beginning = '', bytes }: { beginning?: string; bytes: number },
): Promise<void> {
  await writer.write(head + beginning);
  for (let left = bytes - beginning.length; left > 0; left -= MEGABYTE.length)
    await writer.write(MEGABYTE.subarray(0, Math.min(left, MEGABYTE.length)));
}

async function sendChunked(writer: BlindWriter, head: string, bytes: number): Promise<void> {
  await writer.write(head);
  for (let left = bytes; left > 0; left -= MEGABYTE.length) await writer.write(chunkOf(MEGABYTE));
  await writer.write(chunkOf(''));
}

async function expectAlive(writer: BlindWriter): Promise<void> {
  await writer.write(headOf('GET /livez', {}));
  expect((await writer.answer()).status).toBe(200);
}

test('there are routes for each kind of body', () => {
  expect(routes.length).toBeGreaterThan(30);
  expect([...new Set(routes.flatMap(({ bodyTypes }) => bodyTypes))].sort()).toEqual([
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]);
});

describe('a client that writes its whole body before it reads', () => {
  const expectTooLarge = async (target: string, bytes: number) => {
    const writer = await open();
    const route = routes.find((each) => targetOf(each) === target)!;
    const { type, beginning } = beginningOf(route);
    const headers = { ...credentialFor(route), 'Content-Type': type, 'Content-Length': bytes };
    await sendWhole(writer, headOf(target, headers), { beginning, bytes });
    expect((await writer.answer()).status).toBe(413);
    await expectAlive(writer);
  };

  test.each(everyRoute)('%s: gets its 413, and the connection stays open', async (target) => {
    await expectTooLarge(target, LARGE);
  });

  test.each(everyKind)('%s: gets its 413 for 40 MB, and the connection stays open', async (target) => {
    await expectTooLarge(target, HUGE);
  });

  test.each(everyKind)('%s: gets its refusal of 40 MB in chunks, and the connection stays open', async (target) => {
    const writer = await open();
    await sendChunked(writer, headOf(target, { 'Content-Type': 'a/b', 'Transfer-Encoding': 'chunked' }), HUGE);
    expect([400, 401, 413, 415]).toContain((await writer.answer()).status);
    await expectAlive(writer);
  });

  test.each(everyKind)('%s: gets its refusal of 100 MB with Connection: close, and then EOF', async (target) => {
    const writer = await open();
    await sendWhole(writer, headOf(target, { 'Content-Type': 'a/b', 'Content-Length': BEYOND }), { bytes: BEYOND });
    const answer = await writer.answer();
    expect([400, 401, 413, 415]).toContain(answer.status);
    expect(answer.headers.connection).toBe('close');
    await writer.ended();
  });
});

describe('every route', () => {
  const refusedAtOnce = async (target: string, headers: Record<string, string | number>, body: string) => {
    const writer = await open();
    const started = performance.now();
    await writer.write(headOf(target, { 'Content-Type': 'a/b', ...headers }) + body);
    const { status } = await writer.answer();
    return { target, status, late: performance.now() - started > LATE_MS, writer };
  };
  const expectRefused = (answers: { status: number; late: boolean }[]) => {
    expect(answers.filter(({ status, late }) => late || ![400, 401, 413, 415].includes(status))).toEqual([]);
  };

  test('refuses before the body if the client waits for 100 Continue', async () => {
    const headers = { 'Content-Length': HUGE, Expect: '100-continue' };
    expectRefused(await Promise.all(everyRoute.map((target) => refusedAtOnce(target, headers, ''))));
  });

  test('refuses a client that stops half-way, and closes the connection', async () => {
    const answers = await Promise.all(
      everyRoute.map((target) => refusedAtOnce(target, { 'Content-Length': HUGE }, 'half')),
    );
    expectRefused(answers);
    const ended = Promise.all(answers.map(({ writer }) => writer.ended()));
    expect(await Promise.race([ended.then(() => 'ended'), sleep(LATE_MS, 'open', { ref: false })])).toBe('ended');
  });
});
