import { paymentActivities } from '../../activities/payments/index.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { paydaysOf, storePaydaySplit } from '../helpers/paydays.ts';
import { problem } from '../helpers/problem.ts';

const api = startApi();
let key = '';
let count = 0;

beforeAll(async () => {
  key = await api.apiKey(SCOPES);
});

const ENGINE = '/api/v1/engine/paycheck';
const owner = () => `emp-${(count += 1)}`;
const rent = { type: 'Rent', amount: 120_000, category: 'FIXED' };
const wage = (employee_id: string, changes: object = {}) => ({
  ...{ employee_id, gross_pay: 300_000, obligations: [rent] },
  ...changes,
});
const calculate = (body: object, token = key) => api.post(`${ENGINE}/calculate`, { token, body });
const simulate = (body: object, headers = {}) => api.post(`${ENGINE}/simulate`, { token: key, body, headers });
const history = (query: string, token = key) => api.get(`${ENGINE}/history${query}`, { token });
const breakdown = (id: string, headers = {}) => api.get(`${ENGINE}/${id}/breakdown`, { token: key, headers });
const vaultsOf = async (id: string) =>
  (await api.get(`/api/v1/allocations/vaults/${encodeURIComponent(id)}`, { token: key })).body;

describe('calculatePaycheck', () => {
  test('201: the specified fields and our additions, with real balances', async () => {
    const employee_id = owner();
    const { status, body } = await calculate(wage(employee_id, { pay_date: '2026-11-30', include_history: true }));
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ employee_id, pay_date: '2026-11-30', revision: 1, buffer_rate: '0.10', vaults: [rent] },
        ...{ gross_income: 300_000, locked_for_bills: 120_000, locked_buffer: 30_000, clean_safe_to_spend: 150_000 },
        ...{ previous: null, comparison: null },
      },
    ]);
    expect(body.id).toMatch(/^calc_[0-9a-f-]{36}$/);
    expect(body.calculated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [{ vault_id }] = body.vaults;
    expect(await vaultsOf(employee_id)).toMatchObject({
      ...{ safe_to_spend: 150_000, buffer: 30_000 },
      vaults: [{ vault_id, vault_type: 'FIXED', label: 'Rent', balance: 120_000 }],
    });
  });

  test('201: of an employee number with any printable characters', async () => {
    const employee_id = `Zoë O’Neill / 7 & co. 💷 ${count}`;
    expect((await calculate(wage(employee_id))).body).toMatchObject({ employee_id });
    expect((await history(`?employee_id=${encodeURIComponent(employee_id)}`)).body.items).toHaveLength(1);
    expect(await vaultsOf(employee_id)).toMatchObject({ buffer: 30_000 });
  });

  test('201: of up to 100 obligations and the largest amounts', async () => {
    const bills = Array.from({ length: 100 }, (_, index) => ({ ...rent, amount: 1e9, type: `Bill ${index}` }));
    const answer = await calculate(wage(owner(), { gross_pay: 1e11, obligations: bills }));
    expect(answer).toMatchObject({ status: 201, body: { locked_for_bills: 1e11, clean_safe_to_spend: 0 } });
    expect(answer.body.vaults).toHaveLength(100);
  });

  test('409: a revision that no longer covers the spent money, with the figures', async () => {
    const user_id = owner();
    await calculate(wage(user_id));
    const body = { user_id, vault_type: 'SAVINGS', amount: 100_000 };
    await api.post('/api/v1/allocations/allocate', { token: key, body });
    // The owner has already spent 100,000, but the revised paycheck would have 60,000 safe to spend.
    const figures = { committed: 100_000, shortfall: 40_000 };
    const answer = await calculate(wage(user_id, { gross_pay: 200_000 }));
    expect(answer).toMatchObject(problem(409, 'paycheck-already-committed', figures));
  });

  test('422: obligations beyond the income, with the shortfall, and a pay date too far ahead', async () => {
    for (const send of [calculate, simulate]) {
      const small = await send(wage(owner(), { gross_pay: 119_999 }));
      expect(small).toMatchObject(problem(422, 'obligations-exceed-income', { shortfall: 1 }));
      const early = await send(wage(owner(), { pay_date: '2199-01-01' }));
      expect(early).toMatchObject(problem(422, 'pay-date-too-far'));
    }
  });
});

describe('simulatePaycheck', () => {
  test('200: the figures of a calculation, without ids, and nothing stored', async () => {
    const employee_id = owner();
    const { status, body } = await simulate(wage(employee_id, { include_history: true, buffer_rate: '0.3333' }));
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ simulated: true, employee_id, revision: 1, buffer_rate: '0.3333', previous: null, comparison: null },
        ...{ gross_income: 300_000, locked_for_bills: 120_000, locked_buffer: 99_990, clean_safe_to_spend: 80_010 },
      },
    ]);
    expect(body).not.toHaveProperty('id');
    expect(body.vaults).toEqual([rent]);
    expect((await history(`?employee_id=${employee_id}`)).body).toEqual({ items: [], next_cursor: null });
  });

  test('200: a chart, with names as text and many bills combined', async () => {
    const evil = { type: '</text><script>alert(1)</script>', amount: 50_000, category: 'FIXED' };
    const others = Array.from({ length: 40 }, (_, index) => ({
      ...rent,
      type: `Bill ${index}`,
      amount: 1_000 + index,
    }));
    const body = wage(owner(), { obligations: [evil, ...others] });
    const { status, headers, text } = await simulate(body, { accept: 'image/svg+xml' });
    expect([status, headers['content-type'], headers.vary]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
      'Origin, Accept',
    ]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toMatch(/^<svg [^>]*role="img"/);
    expect(text).not.toContain('<script');
    for (const words of ['Where the wage goes', '30 other bills', 'Safety buffer', 'Safe to spend', '£300.00'])
      expect(text).toContain(words);
  });
});

test('explainPaycheck, 200: from gross pay to safe to spend, as JSON and as a chart', async () => {
  const { body } = await calculate(wage(owner(), { gross_pay: 125_000 }));
  expect(await breakdown(body.id)).toMatchObject({
    status: 200,
    body: { calculation: body, obligations: [rent], buffer: { requested: 12_500, locked: 5_000, capped: true } },
  });
  const drawn = await breakdown(body.id, { accept: 'image/svg+xml' });
  expect([drawn.status, drawn.text.includes('£1,200.00')]).toEqual([200, true]);
});

describe('a user', () => {
  test('calculates and lists their own paycheck by default, with the buffer rate of their profile', async () => {
    const { userId, token } = await api.registerUser();
    const profile = await api.request('PATCH', '/api/v1/auth/me', { token, body: { buffer_rate: '0.05' } });
    expect(profile.status).toBe(200);
    const { body } = await calculate(wage(userId), token);
    expect(body).toMatchObject({ buffer_rate: '0.05', locked_buffer: 15_000 });
    for (const answer of [await history('', token), await history(`?employee_id=${userId}`)])
      expect(answer).toMatchObject({ status: 200, body: { items: [body], next_cursor: null } });
  });
});

test('listPaychecks, 200: pages, newest first, within pay dates', async () => {
  const employee_id = owner();
  for (const month of ['01', '02', '03']) await calculate(wage(employee_id, { pay_date: `2026-${month}-28` }));
  const days = async (query: string) => {
    const { items, next_cursor } = (await history(`?employee_id=${employee_id}&${query}`)).body;
    return [items.map(({ pay_date }: { pay_date: string }) => pay_date), next_cursor] as [string[], string | null];
  };
  const [first, cursor] = await days('limit=2');
  expect(first).toEqual(['2026-03-28', '2026-02-28']);
  expect(await days(`limit=2&cursor=${cursor}`)).toEqual([['2026-01-28'], null]);
  expect(await days('from=2026-02-01&to=2026-02-28')).toEqual([['2026-02-28'], null]);
});

test('listPaydays, 200: pages of what wages led to, newest first', async () => {
  await paymentActivities(api.services).ensureSandboxPayees();
  const { token, userId } = await api.registerUser();
  const bill = { provider_id: 'prov_sandbox_instant', pay_day: 1 };
  await storePaydaySplit(api.services, userId, [bill, { ...bill, pay_amount: 15_000 }]);
  const paydays = paydaysOf(api.services);
  await paydays.payday(userId, 50_000);
  const open = await paydays.confirm(userId, 60_000);
  const page = (query: string, by = token) => api.get(`${ENGINE}/paydays?limit=1&${query}`, { token: by });
  const { body: first } = await page('');
  const began = { calculation_id: null, payments: [], left_out: [], ended_at: null };
  expect(first.items).toMatchObject([{ wage_id: open, ...began, attention: false, attention_reason: null }]);
  const { body: second } = await page(`cursor=${first.next_cursor}`);
  expect(second).toMatchObject({
    items: [
      {
        ...{ calculation_id: expect.stringMatching(/^calc_/), payments: [expect.stringMatching(/^pay_/)] },
        left_out: [{ type: 'Bill 2', amount: 15_000, reason: 'vault-short' }],
      },
    ],
    next_cursor: null,
  });
  expect(await page('', key)).toMatchObject(problem(400, 'invalid-request'));
});

describe('in a sandbox', () => {
  test('stated income can pay, and an asserted income can be reduced after it was spent', async () => {
    const { token, userId } = await api.registerUser();
    const { body: stated } = await calculate(wage(userId, { pay_date: '2026-11-20' }), token);
    expect(stated.income_evidence).toBe('stated');
    const asserts = await api.apiKey(['write:paycheck', 'assert:income', 'admin:owners']);
    expect((await calculate(wage(userId), asserts)).body.income_evidence).toBe('asserted');
    const payee = { name: 'Own Account Ltd', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };
    const { provider_id } = (await api.post('/api/v1/payments/providers', { token, body: payee })).body;
    const bill = { vault_allocation_id: stated.vaults[0].allocation_id, amount: 120_000, currency: 'GBP', provider_id };
    expect((await api.post('/api/v1/payments/execute', { token, body: bill })).status).toBe(201);
    expect((await calculate(wage(userId, { gross_pay: 1, obligations: [] }), asserts)).status).toBe(201);
  });
});
