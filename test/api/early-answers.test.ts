import { readContract, type Operation } from '../../api/http/contract.ts';
import { EARLY } from '../../api/http/handlers.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { beginningOf, blindWriters, chunkOf, headOf, targetOf, type BlindWriter } from '../helpers/blind-writer.ts';

const api = startApi({ env: { LIMIT_CREDENTIALS_PER_MINUTE: '1000000', LIMIT_TOKENS_PER_MINUTE: '1000000' } });
let key: string;
beforeAll(async () => {
  key = await api.apiKey(SCOPES);
});

const open = blindWriters(api);
/** Node itself would end a request after a minute. */
const LATE_MS = 40_000;
const MEGABYTE = Buffer.alloc(1_000_000, 'x');
// Exceeds the socket buffers of both sides together.
const LARGE = 12_000_000;
const HUGE = 40_000_000;
const BEYOND = 100_000_000;
const routes = readContract('sandbox').operations.filter(({ bodyTypes }) => bodyTypes.length > 0);
const everyRoute = routes.map(targetOf);

/** One route of each kind: routes of a kind have the same steps before and around the body. */
const kinds = new Map(
  routes.map((route) => {
    const { id, bodyTypes, credential, scopes, errors } = route;
    return [[bodyTypes, credential, scopes === 'public', errors, EARLY[id]].join(' '), route];
  }),
);
const kindsOfBodies = new Map(routes.flatMap((route) => route.bodyTypes.map((type) => [type, route])));
const [everyKind, everyBody] = [kinds, kindsOfBodies].map((found) => [...found.values()].map(targetOf));

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
  expect(kinds.size).toBeGreaterThan(8);
  const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  expect([...kindsOfBodies.keys()].sort()).toEqual(types);
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

  test.each(everyKind!)('%s: gets its 413, and the connection stays open', async (target) => {
    await expectTooLarge(target, LARGE);
  });

  test.each(everyBody!)('%s: gets its 413 for 40 MB, and the connection stays open', async (target) => {
    await expectTooLarge(target, HUGE);
  });

  test.each(everyBody!)('%s: gets its refusal of 40 MB in chunks, and the connection stays open', async (target) => {
    const writer = await open();
    await sendChunked(writer, headOf(target, { 'Content-Type': 'a/b', 'Transfer-Encoding': 'chunked' }), HUGE);
    expect([400, 401, 413, 415]).toContain((await writer.answer()).status);
    await expectAlive(writer);
  });

  test.each(everyBody!)('%s: gets its refusal of 100 MB with Connection: close, and then EOF', async (target) => {
    const writer = await open();
    await sendWhole(writer, headOf(target, { 'Content-Type': 'a/b', 'Content-Length': BEYOND }), { bytes: BEYOND });
    const answer = await writer.answer();
    expect([400, 401, 413, 415]).toContain(answer.status);
    expect(answer.headers.connection).toBe('close');
    await writer.ended();
  });
});

describe('every route', () => {
  async function expectRefusals(headers: Record<string, string | number>, body: string): Promise<BlindWriter[]> {
    const answers = everyRoute.map(async (target) => {
      const writer = await open();
      const started = performance.now();
      await writer.write(headOf(target, { 'Content-Type': 'a/b', 'Content-Length': HUGE, ...headers }) + body);
      const { status } = await writer.answer();
      const isRight = [400, 401, 413, 415].includes(status) && performance.now() - started < LATE_MS;
      return { writer, wrong: isRight ? [] : [`${target}: ${status}`] };
    });
    const all = await Promise.all(answers);
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([]);
    return all.map(({ writer }) => writer);
  }

  test('refuses before the body if the client waits for 100 Continue', async () => {
    await expectRefusals({ Expect: '100-continue' }, '');
  });
});
