import { LOGIN_SCOPES, SCOPES } from '../../domain/auth.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';

const clock = movableClock();
const api = startApi({ clock });
let key = '';
let user = { userId: '', token: '' };
let owners = 0;

beforeAll(async () => {
  clock.set('2026-11-21T12:00:00Z');
  key = await api.apiKey(SCOPES);
  user = await api.registerUser();
});

const storedFor = textQuery<{ largest: number }>(
  'test.storedAnswers',
  'select max(octet_length(body)) as largest from idempotency_records where operation = $1',
);
const DEBT = '/api/v1/engine/debt';
const SVG = 'image/svg+xml';
const A = { name: 'A', balance: 300_000, rate: 2_490, minimum: 9_000 };
const B = { name: 'B', balance: 150_000, rate: 690, minimum: 5_000 };
const C = { name: 'C', balance: 60_000, rate: 3_990, minimum: 2_500 };
const three = { debts: [A, B, C], monthly_budget: 30_000 };
const newOwner = () => `emp-${(owners += 1)}`;
const simulate = (body: unknown, token = key, headers: Record<string, string> = {}) =>
  api.post(`${DEBT}/simulate`, { token, body, headers });
const plan = (body: object, token = key, headers: Record<string, string> = {}) =>
  api.post(`${DEBT}/plan`, { token, body, headers });
const aPlan = async (more: object = {}) => {
  const { status, body } = await plan({ ...three, user_id: newOwner(), ...more });
  expect(status).toBe(201);
  return body as { plan_id: string; user_id: string };
};
const read = (id: string, token = key, headers: Record<string, string> = {}) =>
  api.get(`${DEBT}/${id}`, { token, headers });
const change = (id: string, body: unknown, headers: Record<string, string> = {}, token = key) =>
  api.request('PATCH', `${DEBT}/${id}`, { token, body, headers });
const progress = (id: string, token = key) => api.get(`${DEBT}/${id}/progress`, { token });
const pay = (id: string, body: unknown, token = key, headers: Record<string, string> = {}) =>
  api.post(`${DEBT}/${id}/payments`, { token, body, headers });
const list = (query = '', token = key) => api.get(`${DEBT}/plans${query}`, { token });
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];

describe('simulateDebts', () => {
  describe('200', () => {
    test('the specified fields and our additions', async () => {
      const { status, body, headers } = await simulate({ ...three, strategy: 'avalanche' });
      expect(status).toBe(200);
      const { payoff_schedule, ...figures } = body;
      expect(figures).toEqual({
        strategy: 'avalanche',
        total_months: 20,
        total_interest_paid: 87_083,
        total_paid: 597_083,
        savings_vs_minimum: 205_905,
        minimums_never_repay: false,
        debt_free_date: '2028-07-21',
        order: ['C', 'A', 'B'],
      });
      expect(payoff_schedule.slice(0, 3)).toEqual([
        { month: 1, debt: 'A', payment: 9_000, remaining: 297_225 },
        { month: 1, debt: 'B', payment: 5_000, remaining: 145_863 },
        { month: 1, debt: 'C', payment: 16_000, remaining: 45_995 },
      ]);
      expect(headers.vary).toBe('Accept');
    });

    test('avalanche by default, snowball on request, null if minimums never repay', async () => {
      expect((await simulate(three)).body.strategy).toBe('avalanche');
      expect((await simulate({ ...three, strategy: 'snowball' })).body).toMatchObject({
        strategy: 'snowball',
        total_months: 21,
        total_interest_paid: 105_371,
        total_paid: 615_371,
      });
      expect((await simulate({ ...three, debts: [A, { ...B, minimum: 0 }] })).body).toMatchObject({
        savings_vs_minimum: null,
        minimums_never_repay: true,
      });
    });

    test('any printable characters in a name', async () => {
      const name = '“Zoë’s” <loan> & \\ 💷';
      const { body } = await simulate({ debts: [{ ...A, name }], monthly_budget: 50_000 });
      expect(body.order).toEqual([name]);
    });

    test('is allowed for a user with the scope for reading', async () => {
      expect((await simulate(three, user.token)).status).toBe(200);
      expect((await simulate(three, await api.apiKey(['read:debt']))).status).toBe(200);
      expect(LOGIN_SCOPES).toContain('read:debt');
    });

    test('a chart on request, without scripts, links or styles', async () => {
      const name = '</text><script>alert(1)</script>';
      const { status, text, headers } = await simulate({ ...three, debts: [{ ...A, name }, B] }, key, {
        accept: 'image/svg+xml, application/json;q=0.5',
      });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'image/svg+xml; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        vary: 'Accept',
      });
      expect(text).toMatch(/^<svg [^>]*role="img"/);
      expect(text).toContain('&lt;/text&gt;&lt;script&gt;');
      expect(text).not.toMatch(/<script|<style|<foreignObject|<a |href|style=|on\w+=|url\(/i);
    });
  });

  describe('400', () => {
    const withDebt = (changes: object) => ({ debts: [{ ...A, ...changes }] });
    test.each<[string, object, string]>([
      ['no debts', { debts: undefined }, '/debts'],
      ['an empty list', { debts: [] }, '/debts'],
      ['51 debts', { debts: Array.from({ length: 51 }, (_, index) => ({ ...A, name: String(index) })) }, '/debts'],
      ['a debt instead of a list', { debts: A }, '/debts'],
      ['no name', withDebt({ name: undefined }), '/debts/0/name'],
      ['an empty name', withDebt({ name: '' }), '/debts/0/name'],
      ['a name of 65 characters', withDebt({ name: 'x'.repeat(65) }), '/debts/0/name'],
      ['a control character in a name', withDebt({ name: 'a\tb' }), '/debts/0/name'],
      ['a name twice', { debts: [A, B, { ...C, name: 'A' }] }, '/debts/2/name'],
      ['a balance of nothing', withDebt({ balance: 0 }), '/debts/0/balance'],
      ['a negative balance', withDebt({ balance: -1 }), '/debts/0/balance'],
      ['half a penny', withDebt({ balance: 0.5 }), '/debts/0/balance'],
      ['a balance as text', withDebt({ balance: '1' }), '/debts/0/balance'],
      ['a balance beyond the limit', withDebt({ balance: 100_000_000_001 }), '/debts/0/balance'],
      ['a balance beyond all bounds', withDebt({ balance: 1e300 }), '/debts/0/balance'],
      ['no rate', withDebt({ rate: undefined }), '/debts/0/rate'],
      ['a negative rate', withDebt({ rate: -1 }), '/debts/0/rate'],
      ['a rate above 100,000', withDebt({ rate: 100_001 }), '/debts/0/rate'],
      ['half a basis point', withDebt({ rate: 19.5 }), '/debts/0/rate'],
      ['a rate as text', withDebt({ rate: '0.199' }), '/debts/0/rate'],
      ['no minimum', withDebt({ minimum: undefined }), '/debts/0/minimum'],
      ['a negative minimum', withDebt({ minimum: -1 }), '/debts/0/minimum'],
      ['null as minimum', withDebt({ minimum: null }), '/debts/0/minimum'],
      ['an unknown field of a debt', withDebt({ apr: 1 }), '/debts/0/apr'],
      ['no budget', { monthly_budget: undefined }, '/monthly_budget'],
      ['a budget of nothing', { monthly_budget: 0 }, '/monthly_budget'],
      ['a budget beyond the limit', { monthly_budget: 100_000_000_001 }, '/monthly_budget'],
      ['an unknown strategy', { strategy: 'Avalanche' }, '/strategy'],
      ['null as strategy', { strategy: null }, '/strategy'],
      ['an unknown field', { currency: 'GBP' }, '/currency'],
    ])('%s, in simulate and plan', async (_name, changes, pointer) => {
      const body = { ...three, ...changes };
      for (const answer of [await simulate(body), await plan({ ...body, user_id: 'emp-x' })]) {
        expect(answer).toMatchObject(problem(400, 'invalid-request'));
        expect(pointersOf(answer)).toEqual([pointer]);
      }
    });

    test('every fault is named at once', async () => {
      const answer = await simulate({
        debts: [
          { ...A, rate: -1 },
          { ...B, balance: 0 },
        ],
        monthly_budget: 'x',
        extra: 1,
      });
      expect(pointersOf(answer).toSorted()).toEqual(['/debts/0/rate', '/debts/1/balance', '/extra', '/monthly_budget']);
    });

    test('two debts with one name are reported with the other faults, in simulate and plan', async () => {
      const body = { debts: [A, { ...B, name: A.name, balance: 0 }, 7, { name: 7 }, { name: 7 }] };
      for (const answer of [await simulate(body), await plan({ ...body, user_id: 'emp-x' })]) {
        expect(pointersOf(answer)).toEqual(
          expect.arrayContaining(['/monthly_budget', '/debts/1/balance', '/debts/1/name']),
        );
        expect(answer.text).not.toContain('must differ from that of /debts/3');
      }
    });
  });

  test.each(['*/*', '', 'application/json; charset=utf-8', 'text/html, application/xhtml+xml, */*;q=0.8'])(
    '200: for %p it is JSON',
    async (accept) => {
      expect((await simulate(three, key, { accept })).headers['content-type']).toBe('application/json');
    },
  );

  test.each(['application/json', SVG])(
    '422, also as %s: too small a budget, and debts that are never repaid',
    async (accept) => {
      const below = await simulate({ ...three, monthly_budget: 16_499 }, key, { accept });
      expect(below).toMatchObject(problem(422, 'budget-below-minimums'));
      expect(below.body).toMatchObject({ required: 16_500, shortfall: 1 });
      const never = await simulate(
        { debts: [{ name: 'X', balance: 1_000_000, rate: 3_600, minimum: 30_000 }], monthly_budget: 30_000 },
        key,
        { accept },
      );
      expect(never).toMatchObject(problem(422, 'debt-never-repaid'));
      expect(never.body).toMatchObject({ months: 1_200 });
    },
  );
});

describe('createDebtPlan', () => {
  test('201: the plan, its simulation, Location and ETag', async () => {
    const user_id = newOwner();
    const { status, body, headers } = await plan({ ...three, user_id, name: 'Free', start_date: '2026-11-01' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      user_id,
      name: 'Free',
      status: 'active',
      revision: 1,
      start_date: '2026-11-01',
      monthly_budget: 30_000,
      debts: [A, B, C],
      strategy: 'avalanche',
      total_months: 20,
      debt_free_date: '2028-07-01',
    });
    expect(headers).toMatchObject({ etag: '"1"', location: `${DEBT}/${body.plan_id}` });
    expect((await read(body.plan_id)).body).toEqual(body);
  });

  test('201: a user’s own plan by default; the same Idempotency-Key makes one', async () => {
    const { userId, token } = await api.registerUser();
    const headers = { 'idempotency-key': 'one plan' };
    const [first, second] = [await plan(three, token, headers), await plan(three, token, headers)];
    expect(first).toMatchObject({ status: 201, body: { user_id: userId } });
    expect(second.body).toEqual(first.body);
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true', etag: '"1"' });
    expect((await list('', token)).body.items).toHaveLength(1);
    expect(await plan({ ...three, name: 'other' }, token, headers)).toMatchObject(
      problem(422, 'idempotency-key-reused'),
    );
  });

  test('201: a repeated request gets the same bytes, even after the plan has changed, and the database stores few', async () => {
    const debts = Array.from({ length: 50 }, (_, index) => ({
      ...{ name: `${'😀'.repeat(30)}${index}`, balance: 120_000, rate: 0, minimum: 1_000 },
    }));
    const body = { user_id: newOwner(), debts, monthly_budget: 50_000 };
    const headers = { 'idempotency-key': 'long plan' };
    const first = await plan(body, key, headers);
    expect(first.status).toBe(201);
    expect(first.text.length).toBeGreaterThan(500_000);
    const path = `${DEBT}/${first.body.plan_id}`;
    const cleared = debts.map(({ name }) => ({ name, balance: 0 }));
    expect((await change(first.body.plan_id, { name: 'Done', debts: cleared })).body.status).toBe('completed');
    const again = await plan(body, key, headers);
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', etag: '"1"', location: path });
    expect(await plan({ ...body, name: 'other' }, key, headers)).toMatchObject(problem(422, 'idempotency-key-reused'));
    expect((await list(`?user_id=${body.user_id}`)).body.items).toHaveLength(1);
    const stored = await api.services.db.one(storedFor('createDebtPlan'));
    expect(stored.largest).toBeLessThan(1_000);
  });

  test('422: a refusal is stored for the Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'refused plan' };
    const body = { ...three, user_id: newOwner(), monthly_budget: 1 };
    expect(await plan(body, key, headers)).toMatchObject(problem(422, 'budget-below-minimums'));
    const again = await plan(body, key, headers);
    expect(again).toMatchObject(problem(422, 'budget-below-minimums'));
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  test.each<[object, string]>([
    [{ user_id: undefined }, '/user_id'],
    [{ user_id: '' }, '/user_id'],
    [{ name: '' }, '/name'],
    [{ name: 'x'.repeat(65) }, '/name'],
    [{ start_date: '2026-02-30' }, '/start_date'],
    [{ start_date: '2025-11-19' }, '/start_date'],
    [{ start_date: '2027-11-23' }, '/start_date'],
    [{ debts: [{ ...A, provider_id: '' }] }, '/debts/0/provider_id'],
    [{ status: 'completed' }, '/status'],
  ])('400: a key sends %j', async (changes, pointer) => {
    const answer = await plan({ ...three, user_id: 'emp-x', ...changes });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });

  test('422: an unknown provider, a budget below the minimums, debts never repaid', async () => {
    const refused = (changes: object) => plan({ ...three, user_id: 'emp-none', ...changes });
    expect(await refused({ debts: [{ ...A, provider_id: 'prov_x' }] })).toMatchObject(problem(422, 'unknown-provider'));
    expect(await refused({ monthly_budget: 1 })).toMatchObject(problem(422, 'budget-below-minimums'));
    expect(await refused({ debts: [{ ...A, rate: 100_000 }] })).toMatchObject(problem(422, 'debt-never-repaid'));
    expect((await list('?user_id=emp-none')).body.items).toEqual([]);
  });
});

describe('getDebtPlan', () => {
  test('200: as JSON, as a chart, and to HEAD without a body', async () => {
    const { plan_id } = await aPlan({ name: 'Mine & <yours>' });
    expect((await read(plan_id)).headers).toMatchObject({ etag: '"1"', vary: 'Accept' });
    const { headers, text } = await read(plan_id, key, { accept: SVG });
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml; charset=utf-8', vary: 'Accept' });
    expect(text).toContain('Mine &amp; &lt;yours&gt;</title>');
    const head = await api.request('HEAD', `${DEBT}/${plan_id}`, { token: key });
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', '"1"']);
  });
});

test('406: a plan in an unavailable media type', async () => {
  const { plan_id } = await aPlan();
  expect(await read(plan_id, key, { accept: 'application/pdf' })).toMatchObject(problem(406, 'not-acceptable'));
});

describe('readDebtProgress', () => {
  test('200: exactly the specified fields, and a recorded payment', async () => {
    const { plan_id } = await aPlan({ start_date: '2026-10-21' });
    const paid = await pay(plan_id, { debt: 'C', amount: 20_000, paid_on: '2026-11-01' });
    expect(paid).toMatchObject({
      status: 201,
      body: { plan_id, debt: 'C', amount: 20_000, paid_on: '2026-11-01', remaining: 41_330, status: 'active' },
    });
    const { status, body, headers } = await progress(plan_id);
    expect(status).toBe(200);
    expect(headers.etag).toBe('"1"');
    expect(body).toEqual({
      plan_id,
      strategy: 'avalanche',
      as_of: '2026-11-21',
      months_elapsed: 1,
      starting_balance: 510_000,
      expected_balance: 489_083,
      actual_balance: 306_225 + 150_863 + 41_330,
      paid_to_date: 20_000,
      ahead_by: 489_083 - 498_418,
      on_track: false,
      projected_debt_free_date: '2028-07-21',
      debts: [
        {
          name: 'A',
          starting_balance: 300_000,
          expected_balance: 297_225,
          actual_balance: 306_225,
          percent_repaid: '0.00',
        },
        {
          name: 'B',
          starting_balance: 150_000,
          expected_balance: 145_863,
          actual_balance: 150_863,
          percent_repaid: '0.00',
        },
        {
          name: 'C',
          starting_balance: 60_000,
          expected_balance: 45_995,
          actual_balance: 41_330,
          percent_repaid: '31.12',
        },
      ],
    });
  });

  test('200: a user reads their own progress', async () => {
    const { body } = await plan(three, user.token);
    expect((await progress(body.plan_id, user.token)).body).toMatchObject({ on_track: true, ahead_by: 0 });
  });
});

describe('recordDebtPayment', () => {
  const payment = { debt: 'A', amount: 1_000, paid_on: '2026-11-21' };

  test('201: once for the same Idempotency-Key', async () => {
    const { plan_id } = await aPlan();
    const headers = { 'idempotency-key': 'pay A' };
    const [first, second] = [await pay(plan_id, payment, key, headers), await pay(plan_id, payment, key, headers)];
    expect(second.body).toEqual(first.body);
    expect((await progress(plan_id)).body.paid_to_date).toBe(1_000);
  });

  test.each<[object, string]>([
    [{ debt: undefined }, '/debt'],
    [{ debt: '' }, '/debt'],
    [{ amount: 0 }, '/amount'],
    [{ amount: 1.5 }, '/amount'],
    [{ amount: 100_000_000_001 }, '/amount'],
    [{ paid_on: undefined }, '/paid_on'],
    [{ paid_on: '2026-11-22' }, '/paid_on'],
    [{ paid_on: '2026-11-20' }, '/paid_on'],
    [{ paid_on: '21/11/2026' }, '/paid_on'],
    [{ note: 'x' }, '/note'],
  ])('400: %j', async (changes, pointer) => {
    const { plan_id } = await aPlan();
    const answer = await pay(plan_id, { ...payment, ...changes });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });

  test('422: a debt that the plan does not have', async () => {
    const { plan_id } = await aPlan();
    expect(await pay(plan_id, { ...payment, debt: 'D' })).toMatchObject(problem(422, 'unknown-debt'));
  });
});

describe('changeDebtPlan', () => {
  test('200: a new revision, with its tag', async () => {
    const { plan_id } = await aPlan();
    const { status, body, headers } = await change(plan_id, {
      strategy: 'snowball',
      monthly_budget: 35_000,
      name: 'New',
    });
    expect([status, headers.etag]).toEqual([200, '"2"']);
    expect(body).toMatchObject({
      revision: 2,
      strategy: 'snowball',
      monthly_budget: 35_000,
      name: 'New',
      debts: [A, B, C],
    });
    expect((await read(plan_id)).body).toEqual(body);
  });

  test.each(['"1"', '"9", "1"', '*', '"x", W/"1", "1"'])('200: If-Match %s names revision 1', async (tags) => {
    const { plan_id } = await aPlan();
    expect((await change(plan_id, { name: 'x' }, { 'if-match': tags })).status).toBe(200);
  });

  test.each(['"2"', 'W/"1"', '1', '""', '"01"', '"1 "', 'nonsense'])('412: If-Match %s does not', async (tags) => {
    const { plan_id } = await aPlan();
    const answer = await change(plan_id, { name: 'x' }, { 'if-match': tags });
    expect(answer).toMatchObject(problem(412, 'precondition-failed'));
    expect(answer.body.revision).toBe(1);
    expect((await read(plan_id)).body).toMatchObject({ revision: 1, name: null });
  });

  test.each<[unknown, string]>([
    [{}, ''],
    [{ name: '' }, '/name'],
    [{ strategy: 'fastest' }, '/strategy'],
    [{ monthly_budget: 0 }, '/monthly_budget'],
    [{ debts: [] }, '/debts'],
    [{ debts: [{ name: 'A' }] }, '/debts/0'],
    [{ debts: [{ rate: 1 }] }, '/debts/0/name'],
    [
      {
        debts: [
          { name: 'A', rate: 1 },
          { name: 'A', rate: 2 },
        ],
      },
      '/debts/1/name',
    ],
    [{ debts: [{ name: 'A', balance: -1 }] }, '/debts/0/balance'],
    [{ debts: [{ name: 'A', provider_id: 'prov_sandbox_instant' }] }, '/debts/0/provider_id'],
    [{ user_id: 'emp-y' }, '/user_id'],
    [{ start_date: '2026-11-21' }, '/start_date'],
  ])('400: %j', async (body, pointer) => {
    const { plan_id } = await aPlan();
    const answer = await change(plan_id, body);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toContain(pointer);
  });

  test('422: what a simulation refuses, and a debt that the plan does not have', async () => {
    const { plan_id } = await aPlan();
    expect(await change(plan_id, { monthly_budget: 1 })).toMatchObject(problem(422, 'budget-below-minimums'));
    expect(await change(plan_id, { debts: [{ name: 'D', rate: 1 }] })).toMatchObject(problem(422, 'unknown-debt'));
    expect((await read(plan_id)).headers.etag).toBe('"1"');
  });
});

describe('listDebtPlans', () => {
  test('200: an owner’s plans, without schedules, in pages', async () => {
    const user_id = newOwner();
    const made = [await aPlan({ user_id }), await aPlan({ user_id })].map(({ plan_id }) => plan_id);
    const first = await list(`?user_id=${user_id}&limit=1`);
    const second = await list(`?user_id=${user_id}&limit=1&cursor=${first.body.next_cursor}`);
    expect([...first.body.items, ...second.body.items].map(({ plan_id }) => plan_id as string)).toEqual(
      made.toReversed(),
    );
    expect(second.body.next_cursor).toBeNull();
    expect(first.body.items[0]).not.toHaveProperty('payoff_schedule');
    expect(first.body.items[0]).toMatchObject({ total_months: 20, debt_free_date: '2028-07-21', status: 'active' });
  });

  test.each([
    ['', '/query/user_id'],
    ['?user_id=', '/query/user_id'],
  ])('400: an API key sends %p', async (query, pointer) => {
    const answer = await list(query);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });
});
