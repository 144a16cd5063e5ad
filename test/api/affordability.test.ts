import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { problem } from '../helpers/problem.ts';

const api = startApi();
let token = '';
beforeAll(async () => {
  token = await api.apiKey(SCOPES);
});

const ENGINE = '/api/v1/engine/affordability';
const simulate = (body: object) => api.post(`${ENGINE}/simulate`, { token, body });
const score = (owner: string) => api.get(`${ENGINE}/score/${encodeURIComponent(owner)}`, { token });
const history = (owner: string, query = '') =>
  api.get(`${ENGINE}/history/${encodeURIComponent(owner)}${query}`, { token });
const purchase = (user_id: string, changes: object = {}) => ({
  ...{ user_id, proposed_amount: 4_500, frequency: 'MONTHLY' },
  ...changes,
});

async function owner(employee_id: string): Promise<string> {
  const obligations = [{ type: 'Rent', amount: 120_000, category: 'FIXED' }];
  const body = { employee_id, gross_pay: 300_000, obligations };
  expect((await api.post('/api/v1/engine/paycheck/calculate', { token, body })).status).toBe(201);
  return employee_id;
}

describe('simulateAffordability', () => {
  test('200: the specified fields with their types, and our additions', async () => {
    const user_id = await owner('emp-1');
    const { status, body } = await simulate(purchase(user_id, { category: 'SUBSCRIPTIONS' }));
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ user_id, proposed_amount: 4_500, frequency: 'MONTHLY', category: 'SUBSCRIPTIONS' },
        ...{ affordable: true, score: 83, confidence: 0.48, monthly_equivalent: 4_500 },
        impact: { safe_to_spend_before: 150_000, safe_to_spend_after: 145_500, reduction_percentage: 3 },
        largest_affordable_amount: 96_818,
      },
    ]);
    expect(body.recommendation).toMatch(/£45\.00 a month.*guidance, not a lending decision/);
    expect(body.check_id).toMatch(/^chk_/);
    const codes = body.reasons.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(expect.arrayContaining(['too-few-paychecks', 'no-payments-concluded']));
  });

  test('200: the largest possible amount is assessed to the penny', async () => {
    const user_id = await owner('emp-2');
    const body = purchase(user_id, { frequency: 'WEEKLY', proposed_amount: 100_000_000_000, category: 'HOUSING' });
    expect((await simulate(body)).body).toMatchObject({
      affordable: false,
      monthly_equivalent: 433_333_333_333,
      impact: { safe_to_spend_after: 150_000 - 433_333_333_333, reduction_percentage: 288_888_888.89 },
      recommendation: expect.stringContaining('MoneyHelper') as unknown,
    });
  });
});

test('readAffordabilityScore and listAffordabilityChecks, 200: the score of a purchase of £0, and the checks in pages', async () => {
  const zoe = await owner('Zoë O’Neill / 7 & co. 💷');
  const factors = [{ name: 'headroom', value: '1.0000' }, {}, {}, {}];
  const own = { user_id: zoe, score: 85, confidence: 0.48, factors };
  expect(await score(zoe)).toMatchObject({ status: 200, body: own });
  expect((await history(zoe)).body).toEqual({ items: [], next_cursor: null });
  const checks = [(await simulate(purchase(zoe))).body, (await simulate(purchase(zoe))).body];
  const first = await history(zoe, '?limit=1');
  const second = await history(zoe, `?limit=1&cursor=${first.body.next_cursor}`);
  expect([...first.body.items, ...second.body.items]).toEqual(checks.toReversed());
});

test('422 without a paycheck on record', async () => {
  const refused = problem(422, 'no-income-on-record');
  expect(await simulate(purchase('emp-without-income'))).toMatchObject(refused);
  expect(await score('emp-without-income')).toMatchObject(refused);
});

describe('readOutlook', () => {
  const outlook = (owner: string, query = '') => api.get(`${ENGINE}/outlook/${owner}${query}`, { token });

  test('200: 31 days from today, or as many as asked for, also of an owner who is not known', async () => {
    const user_id = await owner('emp-3');
    const { status, body } = await outlook(user_id);
    const today = body.from as string;
    expect([status, body.days.length, body.days[30].date]).toEqual([200, 31, body.to]);
    const day = { date: today, in: 0, out: 0, balance: 150_000, bills: [] };
    const lowest = { date: today, amount: 150_000 };
    expect((await outlook(user_id, '?days=1')).body).toEqual({
      ...{ from: today, to: today, starts_with: 150_000, lowest, days: [day], short_on: null },
    });
    expect((await outlook('emp-unknown', '?days=92')).body).toMatchObject({ starts_with: 0, lowest: { amount: 0 } });
  });

  test.each(['0', '93', '-1', '1.5', 'week', ''])('400 for days=%s', async (days) => {
    expect(await outlook('emp-3', `?days=${days}`)).toMatchObject(problem(400, 'invalid-request'));
  });
});
