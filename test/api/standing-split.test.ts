import { paymentActivities } from '../../activities/payments/index.ts';
import type { Scope } from '../../domain/auth.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { newClient, newCode, redeem, sqlOf } from '../helpers/oauth.ts';
import { RENT, RENT_BILL } from '../helpers/payday.ts';
import { pointersOf, problem } from '../helpers/problem.ts';

const api = startApi();
const PAYCHECK: readonly Scope[] = ['write:paycheck'];
const BOTH: readonly Scope[] = ['write:paycheck', 'write:payments'];
let key: string;
let weak: string;
let owners = 0;

beforeAll(async () => {
  await paymentActivities(api.services).ensureSandboxPayees();
  [key, weak] = [await api.apiKey(BOTH), await api.apiKey(PAYCHECK)];
});

const newOwner = () => `splitter-${(owners += 1)}`;
const pathOf = (owner: string) => `/api/v1/engine/standing-split/${owner}`;
const read = (owner: string, token = key) => api.get(pathOf(owner), { token });
const tagged = (tag?: string): Record<string, string> => (tag === undefined ? {} : { 'if-match': tag });
const put = (owner: string, obligations: object[], token = key, more: object = {}, tag?: string) =>
  api.request('PUT', pathOf(owner), { token, body: { obligations, ...more }, headers: tagged(tag) });
const drop = (owner: string, token = key, tag?: string) =>
  api.request('DELETE', pathOf(owner), { token, headers: tagged(tag) });
const wanted = ({ body }: TestAnswer): object[] =>
  body.obligations.map(({ set_by: _, pays_from: __, ...entry }: Record<string, unknown>) => entry);
const LACKING = problem(403, 'insufficient-scope', { scope: 'write:payments' });

test('200: the standing split with its ETag, without fields that were not sent, and a label in its one spelling', async () => {
  const owner = newOwner();
  expect(await read(owner)).toMatchObject(problem(404, 'not-found'));
  const { status, headers, body } = await put(owner, [{ ...RENT, type: ' Cafe\u0301  bill' }, RENT_BILL]);
  expect([status, headers.etag]).toEqual([200, '"1"']);
  const [entry_id, set_by] = [expect.any(String), expect.stringMatching(/^key_/)] as string[];
  expect(body).toEqual({
    ...{ user_id: owner, paused: false, version: 1, set_by, updated_at: expect.any(String) as string },
    obligations: [
      { ...RENT, type: 'Café bill', entry_id, set_by },
      { ...RENT_BILL, entry_id, set_by },
    ],
  });
  expect(await read(owner)).toMatchObject({ status: 200, body, headers: { etag: '"1"' } });
});

test('412: If-Match names another version, or there is no standing split', async () => {
  const owner = newOwner();
  for (const tag of ['"1"', '*']) {
    expect(await put(owner, [RENT], key, {}, tag)).toMatchObject(problem(412, 'precondition-failed'));
    expect(await drop(owner, key, tag)).toMatchObject(problem(412, 'precondition-failed'));
  }
  await put(owner, [RENT]);
  expect((await put(owner, [RENT], key, {}, '"1"')).headers.etag).toBe('"2"');
  expect(await put(owner, [], key, {}, '"1", W/"2"')).toMatchObject(
    problem(412, 'precondition-failed', { version: 2 }),
  );
  expect(await drop(owner, key, '"1"')).toMatchObject(problem(412, 'precondition-failed', { version: 2 }));
  expect([(await drop(owner, key, '"2"')).status, (await drop(owner)).status]).toEqual([204, 204]);
  expect((await read(owner)).status).toBe(404);
});

test('400 with a pointer to each fault, and 422 for an entry or a payee that there is not', async () => {
  const owner = newOwner();
  const bad = await put(owner, [
    { ...RENT, pay_on: 1 },
    { ...RENT_BILL, pay_on: 32 },
    { ...RENT, reference: 'A' },
  ]);
  expect([bad.status, pointersOf(bad)]).toEqual([400, expect.arrayContaining(['/obligations/1/pay_on'])]);
  const pairs = await put(owner, [
    { ...RENT, pay_on: 1 },
    { ...RENT, reference: 'A' },
  ]);
  expect([pairs.status, pointersOf(pairs)]).toEqual([400, ['/obligations/0/provider_id', '/obligations/1/reference']]);
  expect(await put(owner, [{ ...RENT, entry_id: 'ent_x' }])).toMatchObject(problem(422, 'unknown-entry'));
  const unknown = { ...RENT_BILL, provider_id: 'prov_x' };
  expect(await put(owner, [unknown])).toMatchObject(problem(422, 'unknown-provider'));
});

test('a first write binds a new owner to the application of the key, and a refused one does not', async () => {
  const owner = newOwner();
  const theirs = await api.apiKey(BOTH, { app: await api.anotherApplication() });
  const bound = () => sqlOf(api.services).many('select app_id from owner_applications where owner_id = $1', [owner]);
  expect(await put(owner, [RENT_BILL], weak)).toMatchObject(LACKING);
  expect((await drop(owner, theirs)).status).toBe(204);
  expect(await bound()).toEqual([]);
  expect((await put(owner, [RENT_BILL])).status).toBe(200);
  expect(await bound()).toEqual([{ app_id: await api.application() }]);
  for (const answer of [await read(owner, theirs), await put(owner, [], theirs), await drop(owner, theirs)])
    expect(answer).toMatchObject(problem(403, 'owner-of-another-application'));
});

describe('without write:payments', () => {
  async function clientOf(userId: string) {
    const client = await newClient(api.services, { scopes: BOTH });
    const code = await newCode(api.services, { clientId: client.clientId, userId, scopes: PAYCHECK });
    return (await redeem(api, client, code)).body.access_token as string;
  }

  test.each<[string, (userId: string) => Promise<[token: string, refused: object]>]>([
    ['a key', () => Promise.resolve([weak, LACKING])],
    ['a client', async (userId) => [await clientOf(userId), LACKING]],
    [
      'a key whose person granted less',
      async (userId) => {
        const app = await api.anotherApplication();
        await api.grant(userId, PAYCHECK, { app });
        return [await api.apiKey(BOTH, { app }), problem(403, 'owner-of-another-application')];
      },
    ],
  ])('%s changes what is set aside, but no bill', async (_who, caller) => {
    const { userId, token } = await api.registerUser();
    const [its, refused] = await caller(userId);
    const [rent, food] = wanted(await put(userId, [RENT_BILL, { ...RENT, type: 'Food' }], token));
    const allowed = await put(userId, [{ ...food, amount: 1 }, rent!], its, { buffer_rate: '0.2' });
    expect([allowed.status, allowed.body.obligations[1].set_by]).toEqual([200, userId]);
    const attacks = [[{ ...rent, pay_amount: 99 }, food!], [food!], [rent!, food!, { ...RENT_BILL, pay_on: 2 }]];
    for (const attack of attacks) expect(await put(userId, attack, its)).toMatchObject(refused);
    expect(await put(userId, [rent!, food!], its, { paused: true })).toMatchObject(refused);
    expect(await drop(userId, its)).toMatchObject(refused);
    expect(await read(userId, token)).toMatchObject({ body: allowed.body });
    expect((await put(userId, [food!], token)).status).toBe(200);
    expect((await drop(userId, its)).status).toBe(204);
  });
});
