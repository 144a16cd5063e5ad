import { paymentActivities } from '../../activities/payments/index.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { problem } from '../helpers/problem.ts';
import { textQuery } from '../helpers/text-query.ts';

const bank = playedBank();
const clock = movableClock();
// This check needs the database, which the API drops.
afterAll(() => expectSoundLedger(api.services));
const api = startApi({ bank, clock });
let key = '';
let owners = 0;

beforeAll(async () => {
  clock.set('2026-11-21T12:00:00Z');
  key = await api.apiKey(SCOPES);
  await paymentActivities(api.services).ensureSandboxPayees();
});

const DEBT = '/api/v1/engine/debt';
const SVG = 'image/svg+xml';
const A = { name: 'A', balance: 300_000, rate: 2_490, minimum: 9_000 };
const B = { name: 'B', balance: 150_000, rate: 690, minimum: 5_000 };
const C = { name: 'C', balance: 60_000, rate: 3_990, minimum: 2_500 };
const three = { debts: [A, B, C], monthly_budget: 30_000 };
const newOwner = () => `emp-${(owners += 1)}`;

type Headers = Record<string, string>;
const simulate = (body: object, headers: Headers = {}) => api.post(`${DEBT}/simulate`, { token: key, body, headers });
const plan = (body: object, headers: Headers = {}, token = key) => api.post(`${DEBT}/plan`, { token, body, headers });
const aPlan = async (more: object = {}) => {
  const { status, body } = await plan({ ...three, user_id: newOwner(), ...more });
  expect(status).toBe(201);
  return body.plan_id as string;
};
const read = (id: string, headers: Headers = {}) => api.get(`${DEBT}/${id}`, { token: key, headers });
const change = (id: string, body: object, headers: Headers = {}) =>
  api.request('PATCH', `${DEBT}/${id}`, { token: key, body, headers });
const progress = (id: string) => api.get(`${DEBT}/${id}/progress`, { token: key });
const pay = (id: string, body: object, headers: Headers = {}) =>
  api.post(`${DEBT}/${id}/payments`, { token: key, body, headers });
const list = (query: string, token = key) => api.get(`${DEBT}/plans${query}`, { token });

describe('simulateDebts', () => {
  test('200: by avalanche unless asked otherwise, for any printable names', async () => {
    const { status, body, headers } = await simulate(three);
    expect([status, headers.vary]).toEqual([200, 'Origin, Accept']);
    expect(body).toMatchObject({ strategy: 'avalanche', total_months: 20, debt_free_date: '2028-07-21' });
    expect(body.payoff_schedule[0]).toEqual({ month: 1, debt: 'A', payment: 9_000, remaining: 297_225 });
    const name = '“Zoë’s” <loan> & \\ 💷';
    const other = {
      debts: [
        { ...A, name },
        { ...B, minimum: 0 },
      ],
      strategy: 'snowball',
    };
    expect((await simulate({ ...three, ...other })).body).toMatchObject({
      strategy: 'snowball',
      savings_vs_minimum: null,
      minimums_never_repay: true,
      order: expect.arrayContaining([name]) as unknown,
    });
  });

  test('200: a chart on request', async () => {
    const { headers, text } = await simulate(three, { accept: 'image/svg+xml, application/json;q=0.5' });
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      vary: 'Origin, Accept',
    });
    expect(text).toMatch(/^<svg [^>]*role="img"/);
  });

  test('400: two debts of the same name, however it is typed', async () => {
    const debts = [
      { ...A, name: 'Café' },
      { ...B, name: ' Cafe\u0301' },
    ];
    const { status, body } = await simulate({ ...three, debts });
    expect([status, body.errors]).toMatchObject([400, [{ pointer: '/debts/1/name' }]]);
  });

  test.each(['application/json', SVG])(
    '422, also as %s: too small a budget, and debts that are never repaid',
    async (accept) => {
      const below = await simulate({ ...three, monthly_budget: 16_499 }, { accept });
      expect(below).toMatchObject(problem(422, 'budget-below-minimums', { required: 16_500, shortfall: 1 }));
      const debts = [{ name: 'X', balance: 1_000_000, rate: 3_600, minimum: 30_000 }];
      const never = await simulate({ debts, monthly_budget: 30_000 }, { accept });
      expect(never).toMatchObject(problem(422, 'debt-never-repaid', { months: 1_200 }));
    },
  );
});

describe('createDebtPlan and getDebtPlan', () => {
  test('201: the plan, its simulation, Location and ETag; by default of the user who calls', async () => {
    const { userId, token } = await api.registerUser();
    const { status, body, headers } = await plan({ ...three, name: 'Free', start_date: '2026-11-01' }, {}, token);
    expect(status).toBe(201);
    expect(body).toMatchObject({ user_id: userId, name: 'Free', revision: 1, total_months: 20, debts: [A, B, C] });
    expect(headers).toMatchObject({ etag: '"1"', location: `${DEBT}/${body.plan_id}` });
    const again = await api.get(String(headers.location), { token });
    expect(again).toMatchObject({ body, headers: { etag: '"1"', vary: 'Origin, Accept' } });
    expect((await list('', token)).body.items).toHaveLength(1);
  });

  test('201: a repeated request gets the same bytes, even after the plan has changed, and the database stores few', async () => {
    const debts = Array.from({ length: 50 }, (_, index) => ({
      ...{ name: `${'😀'.repeat(30)}${index}`, balance: 120_000, rate: 0, minimum: 1_000 },
    }));
    const body = { user_id: newOwner(), debts, monthly_budget: 50_000 };
    const headers = { 'idempotency-key': 'long plan' };
    const first = await plan(body, headers);
    expect(first.status).toBe(201);
    expect(first.text.length).toBeGreaterThan(500_000);
    const cleared = debts.map(({ name }) => ({ name, balance: 0 }));
    expect((await change(first.body.plan_id, { name: 'Done', debts: cleared })).body.status).toBe('completed');
    const again = await plan(body, headers);
    expect(again).toMatchObject({ status: 201, text: first.text });
    const location = `${DEBT}/${first.body.plan_id}`;
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', etag: '"1"', location });
    expect(await plan({ ...body, name: 'other' }, headers)).toMatchObject(problem(422, 'idempotency-key-reused'));
    expect((await list(`?user_id=${body.user_id}`)).body.items).toHaveLength(1);
    const stored = textQuery<{ largest: number }>(
      'test.storedAnswers',
      'select max(octet_length(body)) as largest from idempotency_records where operation = $1',
    );
    expect((await api.services.db.one(stored('createDebtPlan'))).largest).toBeLessThan(1_000);
  });

  test('200: as a chart, and to HEAD without a body; 406 for another media type', async () => {
    const id = await aPlan({ name: 'Mine & <yours>' });
    const { headers, text } = await read(id, { accept: SVG });
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml; charset=utf-8', vary: 'Origin, Accept' });
    expect(text).toContain('Mine &amp; &lt;yours&gt;</title>');
    const head = await api.request('HEAD', `${DEBT}/${id}`, { token: key });
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', '"1"']);
    expect(await read(id, { accept: 'application/pdf' })).toMatchObject(problem(406, 'not-acceptable'));
  });
});

test('readDebtProgress, 200: the progress after a recorded payment, with the plan’s ETag', async () => {
  const plan_id = await aPlan({ start_date: '2026-10-21' });
  const paid = { debt: 'C', amount: 20_000, paid_on: '2026-11-01' };
  const recorded = { plan_id, ...paid, remaining: 41_330, status: 'active' };
  expect(await pay(plan_id, paid)).toMatchObject({ status: 201, body: recorded });
  const { status, body, headers } = await progress(plan_id);
  expect([status, headers.etag]).toEqual([200, '"1"']);
  const figures = { months_elapsed: 1, paid_to_date: 20_000, ahead_by: 489_083 - 498_418, on_track: false };
  expect(body).toMatchObject({ plan_id, as_of: '2026-11-21', ...figures });
  expect(body.debts[2]).toMatchObject({ name: 'C', actual_balance: 41_330, percent_repaid: '31.12' });
});

describe('changeDebtPlan', () => {
  test('200: a new revision with its tag, if If-Match allows the current one', async () => {
    const id = await aPlan();
    const changes = { strategy: 'snowball', monthly_budget: 35_000, name: 'New' };
    const { status, body, headers } = await change(id, changes, { 'if-match': '"x", W/"1", "1"' });
    expect([status, headers.etag]).toEqual([200, '"2"']);
    expect(body).toMatchObject({ revision: 2, ...changes, debts: [A, B, C] });
    expect((await read(id)).body).toEqual(body);
  });

  test('412: If-Match names another revision', async () => {
    const id = await aPlan();
    const answer = await change(id, { name: 'x' }, { 'if-match': '"2"' });
    expect(answer).toMatchObject(problem(412, 'precondition-failed', { revision: 1 }));
    expect((await read(id)).body).toMatchObject({ revision: 1, name: null });
  });
});

test('listDebtPlans, 200: plans without schedules, in pages', async () => {
  const user_id = newOwner();
  const made = [await aPlan({ user_id }), await aPlan({ user_id })];
  const first = await list(`?user_id=${user_id}&limit=1`);
  expect(first.body.items).toMatchObject([{ plan_id: made[1], total_months: 20, debt_free_date: '2028-07-21' }]);
  expect(first.body.items[0]).not.toHaveProperty('payoff_schedule');
  const second = await list(`?user_id=${user_id}&limit=1&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ items: [{ plan_id: made[0] }], next_cursor: null });
});
