import { SCOPES } from '../../domain/auth.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';

const api = startApi();
let key = '';
let user = { userId: '', token: '' };
let count = 0;

beforeAll(async () => {
  key = await api.apiKey(SCOPES.filter((scope) => scope !== 'admin:owners'));
  user = await api.registerUser();
});

const ENGINE = '/api/v1/engine/affordability';
const simulate = (body: unknown, token = key, headers: Record<string, string> = {}) =>
  api.post(`${ENGINE}/simulate`, { token, body, headers });
const score = (owner: string, token = key) => api.get(`${ENGINE}/score/${encodeURIComponent(owner)}`, { token });
const history = (owner: string, query = '', token = key) =>
  api.get(`${ENGINE}/history/${encodeURIComponent(owner)}${query}`, { token });
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];

async function owner(employee_id = `emp-${(count += 1)}`): Promise<string> {
  const obligations = [{ type: 'Rent', amount: 120_000, category: 'FIXED' }];
  const body = { employee_id, gross_pay: 300_000, obligations };
  const { status } = await api.post('/api/v1/engine/paycheck/calculate', { token: key, body });
  expect(status).toBe(201);
  return employee_id;
}
const purchase = (user_id: string, changes: object = {}) => ({
  user_id,
  proposed_amount: 4_500,
  frequency: 'MONTHLY',
  ...changes,
});

describe('simulateAffordability', () => {
  describe('200', () => {
    test('the specified fields with their types, and our additions', async () => {
      const user_id = await owner();
      const { status, body } = await simulate(purchase(user_id, { category: 'SUBSCRIPTIONS' }));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        affordable: true,
        score: 83,
        confidence: 0.48,
        impact: { safe_to_spend_before: 150_000, safe_to_spend_after: 145_500, reduction_percentage: 3 },
        user_id,
        proposed_amount: 4_500,
        frequency: 'MONTHLY',
        category: 'SUBSCRIPTIONS',
        monthly_equivalent: 4_500,
        largest_affordable_amount: 96_818,
      });
      expect(body.recommendation).toMatch(/£45\.00 a month.*guidance, not a lending decision/);
      expect(body.check_id).toMatch(/^chk_/);
      expect(body.factors.map(({ weight }: { weight: string }) => weight)).toEqual(['0.55', '0.20', '0.15', '0.10']);
      expect(body.reasons.map(({ code }: { code: string }) => code)).toEqual([
        'uses-share-of-safe-to-spend',
        'too-few-paychecks',
        'buffer-covers-tenth-of-pay',
        'no-payments-concluded',
      ]);
    });

    test('the largest affordable amount is affordable, and a penny more is not', async () => {
      const user_id = await owner();
      const most = Number((await simulate(purchase(user_id, { frequency: 'WEEKLY' }))).body.largest_affordable_amount);
      const asked = (proposed_amount: number) => simulate(purchase(user_id, { frequency: 'WEEKLY', proposed_amount }));
      expect((await asked(most)).body.affordable).toBe(true);
      expect((await asked(most + 1)).body.affordable).toBe(false);
    });

    test('the largest possible amount is assessed to the penny', async () => {
      const user_id = await owner();
      const body = purchase(user_id, { frequency: 'WEEKLY', proposed_amount: 100_000_000_000, category: 'HOUSING' });
      expect((await simulate(body)).body).toMatchObject({
        affordable: false,
        monthly_equivalent: 433_333_333_333,
        impact: { safe_to_spend_after: 150_000 - 433_333_333_333, reduction_percentage: 288_888_888.89 },
        recommendation: expect.stringContaining('MoneyHelper') as unknown,
      });
    });

    test('the same Idempotency-Key makes one check', async () => {
      const user_id = await owner();
      const headers = { 'idempotency-key': `check-${user_id}` };
      const [first, second] = [
        await simulate(purchase(user_id), key, headers),
        await simulate(purchase(user_id), key, headers),
      ];
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(second.body).toEqual(first.body);
      expect((await history(user_id)).body.items).toEqual([first.body]);
      expect(await simulate(purchase(user_id, { proposed_amount: 1 }), key, headers)).toMatchObject(
        problem(422, 'idempotency-key-reused'),
      );
    });

    test('a user checks their own finances; an owner’s id may contain any printable characters', async () => {
      await owner(user.userId);
      expect(await simulate(purchase(user.userId), user.token)).toMatchObject({ status: 200 });
      const zoe = await owner(`Zoë O’Neill / 7 & co. 💷 ${count}`);
      expect((await simulate(purchase(zoe))).body).toMatchObject({ user_id: zoe });
      expect((await score(zoe)).body).toMatchObject({ user_id: zoe, score: 85 });
      expect((await history(zoe)).body.items).toHaveLength(1);
    });
  });

  describe('400', () => {
    test.each([
      [{ proposed_amount: 0 }, '/proposed_amount'],
      [{ proposed_amount: -1 }, '/proposed_amount'],
      [{ proposed_amount: 45.5 }, '/proposed_amount'],
      [{ proposed_amount: '4500' }, '/proposed_amount'],
      [{ proposed_amount: 100_000_000_001 }, '/proposed_amount'],
      [{ frequency: 'DAILY' }, '/frequency'],
      [{ frequency: 'monthly' }, '/frequency'],
      [{ frequency: undefined }, '/frequency'],
      [{ category: 'LUXURY' }, '/category'],
      [{ category: null }, '/category'],
      [{ user_id: '' }, '/user_id'],
      [{ user_id: 'a\u0000b' }, '/user_id'],
      [{ user_id: 7 }, '/user_id'],
      [{ note: 'x' }, '/note'],
    ])('%j', async (changes, pointer) => {
      const answer = await simulate(purchase('emp-1', changes));
      expect(answer).toMatchObject(problem(400, 'invalid-request'));
      expect(pointersOf(answer)).toEqual([pointer]);
    });

    test('every fault at once', async () => {
      const answer = await simulate({ proposed_amount: 'much', frequency: 'often', extra: true });
      expect(pointersOf(answer).toSorted()).toEqual(['/extra', '/frequency', '/proposed_amount', '/user_id']);
    });
  });

  test('422 without a paycheck on record', async () => {
    expect(await simulate(purchase('emp-without-income'))).toMatchObject(problem(422, 'no-income-on-record'));
    expect((await api.get('/problems/no-income-on-record')).status).toBe(200);
  });
});

describe('readAffordabilityScore', () => {
  test('200: the score of a purchase of £0, which is not stored', async () => {
    const user_id = await owner();
    const reader = await api.apiKey(['read:affordability']);
    expect(await score(user_id, reader)).toMatchObject({
      status: 200,
      body: { user_id, score: 85, confidence: 0.48, factors: [{ name: 'headroom', value: '1.0000' }, {}, {}, {}] },
    });
    expect((await history(user_id, '', reader)).body).toEqual({ items: [], next_cursor: null });
  });

  test('422 without any paycheck', async () => {
    expect(await score('emp-without-income')).toMatchObject(problem(422, 'no-income-on-record'));
  });
});

describe('listAffordabilityChecks', () => {
  test('200: the checks unchanged, newest first, in pages', async () => {
    const user_id = await owner();
    const checks = [];
    for (const proposed_amount of [100, 200, 300])
      checks.unshift((await simulate(purchase(user_id, { proposed_amount }))).body);
    const first = await history(user_id, '?limit=2');
    const second = await history(user_id, `?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.items, ...second.body.items]).toEqual(checks);
    expect(second.body.next_cursor).toBeNull();
  });

  test('200: an unknown owner has an empty list', async () => {
    expect((await history('emp-nobody')).body).toEqual({ items: [], next_cursor: null });
  });
});
