import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { authActivities } from '../../activities/auth.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { startApi, type TestAnswer, type TestApi } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';

// Tests attacks by which a newly registered person could take the operator's money.

const ENGINE = '/api/v1/engine/paycheck';
const BILLION = 100_000_000_000;
const RATE = { YIELD_RATE_SAVINGS: '0.045' };
const PAYEE = { name: 'Own Account Ltd', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };

const callsOf = (api: TestApi) => ({
  calculate: (token: string, employee_id: string, gross_pay: number, more: object = {}) => {
    const obligations = [{ type: 'Savings', amount: gross_pay, category: 'SAVINGS' }];
    const body = { employee_id, gross_pay, obligations, buffer_rate: '0', ...more };
    return api.post(`${ENGINE}/calculate`, { token, body });
  },
  pay: async (token: string, vault_allocation_id: string, amount: number) => {
    const { body: payee } = await api.post('/api/v1/payments/providers', { token, body: PAYEE });
    const body = { vault_allocation_id, amount, currency: 'GBP', provider_id: payee.provider_id as string };
    return api.post('/api/v1/payments/execute', { token, body });
  },
  accrue: (token: string, vault_id: string) => api.post('/api/v1/engine/yield/accrue', { token, body: { vault_id } }),
});
const refused = ({ status, body }: TestAnswer) => [status, body.code];

describe('in production', () => {
  const bank = playedBank();
  const clock = movableClock();
  const env = {
    ...RATE,
    RINGFENCE_ENV: 'production',
    MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', `income-${randomUUID()}.json`),
  };
  // The service does not create master keys in production.
  beforeAll(() => createKeyFile(env.MASTER_KEY_FILE));
  // This check needs the database, which the API drops.
  afterAll(() => expectSoundLedger(api.services, { clockGoesBack: true }));
  const api = startApi({ bank, clock, env });
  const { calculate, pay, accrue } = callsOf(api);
  const issue = async (perOwner: number, perMonth: number) =>
    authActivities(api.services).issueApiKey({
      app_id: await api.application(),
      scopes: ['write:paycheck', 'write:payments', 'assert:income'],
      income_limits: { perOwner, perMonth },
    });
  const payroll = async (perOwner: number, perMonth: number) => (await issue(perOwner, perMonth)).key;
  beforeEach(() => clock.set('2026-11-24T12:00:00Z'));

  test('a person who states a billion pounds cannot spend any of it', async () => {
    const { token, userId } = await api.registerUser({ proved: true });
    const { status, body } = await calculate(token, userId, BILLION);
    expect([status, body.income_evidence]).toEqual([201, 'stated']);
    const paid = await pay(token, body.vaults[0].allocation_id, BILLION / 2);
    expect(refused(paid)).toEqual([422, 'income-not-evidenced']);
    expect(paid.body).toMatchObject({ evidenced: 0, spent: 0, shortfall: BILLION / 2 });
    const listed = await api.get(`/api/v1/payments?user_id=${userId}`, { token });
    expect(listed.body.items).toEqual([]);
    expect(bank.submitted).toEqual([]);
  });

  test('a person spends what a payroll asserted, and no more', async () => {
    const { token, userId } = await api.registerUser({ proved: true });
    const key = await payroll(200_000, 200_000);
    const { body: wage } = await calculate(key, userId, 200_000);
    expect(wage.income_evidence).toBe('asserted');
    const { body: stated } = await calculate(token, userId, BILLION, { pay_date: '2026-11-20' });
    expect((await pay(token, wage.vaults[0].allocation_id, 150_000)).status).toBe(201);
    const paid = await pay(token, stated.vaults[0].allocation_id, 50_001);
    expect(paid.body).toMatchObject({ code: 'income-not-evidenced', evidenced: 200_000, spent: 150_000, shortfall: 1 });
    expect((await pay(token, stated.vaults[0].allocation_id, 50_000)).status).toBe(201);
  });

  test('a person cannot revise what a payroll asserted', async () => {
    const { token, userId } = await api.registerUser({ proved: true });
    await calculate(await payroll(200_000, 200_000), userId, 200_000);
    expect(refused(await calculate(token, userId, BILLION))).toEqual([409, 'paycheck-asserted']);
    const other = await api.apiKey(['write:paycheck']);
    expect(refused(await calculate(other, userId, 200_000))).toEqual([409, 'paycheck-asserted']);
  });

  test('interest on a stated billion cannot be spent', async () => {
    const { token, userId } = await api.registerUser({ proved: true });
    const { body: stated } = await calculate(token, userId, BILLION, { pay_date: '2026-11-01' });
    await calculate(await payroll(200_000, 200_000), userId, 200_000);
    clock.set('2027-01-03T12:00:00Z');
    const yields = await api.apiKey(['write:yield', 'admin:owners']);
    expect((await accrue(yields, stated.vaults[0].vault_id)).body.accrued).toBeGreaterThan(400_000_000);
    const paid = await pay(token, stated.vaults[0].allocation_id, 200_001);
    expect(paid.body).toMatchObject({ code: 'income-not-evidenced', evidenced: 200_000, spent: 0, shortfall: 1 });
  });

  test('a key that may assert income cannot be made without limits', async () => {
    await expect(api.apiKey(['assert:income', 'write:paycheck'])).rejects.toMatchObject({ code: 'invalid-request' });
  });

  test('forty assertions at once stay within the limit of the month', async () => {
    const key = await payroll(100_000, 1_000_000);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, place) => calculate(key, `forty-${place}`, 100_000)),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({
        status: 422,
        body: { code: 'exceeds-income-limit', limit: 1_000_000, asserted: 1_000_000, scope: 'month' },
      });
    }
    clock.set('2026-12-01T00:00:00Z');
    expect((await calculate(key, 'forty-later', 100_000)).status).toBe(201);
  });

  test('an asserted income cannot be withdrawn after it was spent from stated income, and so is not asserted twice', async () => {
    const { token, userId } = await api.registerUser({ proved: true });
    const key = await payroll(200_000, 200_000);
    const { body: stated } = await calculate(token, userId, 200_000, { pay_date: '2026-11-20' });
    await calculate(key, userId, 200_000);
    expect((await pay(token, stated.vaults[0].allocation_id, 200_000)).status).toBe(201);
    const withdrawn = await calculate(key, userId, 1);
    expect(refused(withdrawn)).toEqual([409, 'paycheck-already-committed']);
    expect(withdrawn.body).toMatchObject({ committed: 200_000, shortfall: 199_999 });
    expect(refused(await calculate(key, 'accomplice', 199_999))).toEqual([422, 'exceeds-income-limit']);
  });

  test('forty assertions for one owner at once stay within its limit, also with a rotated key', async () => {
    const { key, key_id } = await issue(100_000, 1_000_000);
    const day = (place: number) => `2026-${place < 20 ? '10' : '11'}-${String((place % 20) + 1).padStart(2, '0')}`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, place) => calculate(key, 'one-owner', 10_000, { pay_date: day(place) })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const { body } = answers.find(({ status }) => status !== 201)!;
    expect(body).toMatchObject({ code: 'exceeds-income-limit', limit: 100_000, asserted: 100_000, scope: 'owner' });
    // Of a revised paycheck, only the change of its income counts towards the limit.
    const booked = answers.find(({ status }) => status === 201)!.body;
    expect((await calculate(key, 'one-owner', 9_000, { pay_date: booked.pay_date })).status).toBe(201);
    const { key: rotated } = await authActivities(api.services).rotateApiKey({ key_id, overlap_days: 1 });
    expect((await calculate(rotated, 'one-owner', 1_000, { pay_date: '2026-09-01' })).status).toBe(201);
    const beyond = await calculate(rotated, 'one-owner', 1, { pay_date: '2026-09-02' });
    expect(refused(beyond)).toEqual([422, 'exceeds-income-limit']);
  });
});

describe('in a sandbox', () => {
  const clock = movableClock();
  afterAll(() => expectSoundLedger(api.services, { clockGoesBack: true }));
  const api = startApi({ clock, bank: playedBank(), env: RATE });
  const { calculate, pay, accrue } = callsOf(api);
  beforeEach(() => clock.set('2026-11-24T12:00:00Z'));

  test('stated income can pay, and is shown as only stated', async () => {
    const { token, userId } = await api.registerUser();
    const { body } = await calculate(token, userId, BILLION);
    expect(body.income_evidence).toBe('stated');
    expect((await pay(token, body.vaults[0].allocation_id, BILLION / 2)).status).toBe(201);
  });

  test('an asserted income can be reduced after it was spent', async () => {
    const { token, userId } = await api.registerUser();
    const { body: stated } = await calculate(token, userId, 200_000, { pay_date: '2026-11-20' });
    const key = await api.apiKey(['write:paycheck', 'assert:income', 'admin:owners']);
    expect((await calculate(key, userId, 200_000)).body.income_evidence).toBe('asserted');
    expect((await pay(token, stated.vaults[0].allocation_id, 200_000)).status).toBe(201);
    expect((await calculate(key, userId, 1)).status).toBe(201);
  });

  test('an income cannot be withdrawn the day before its interest is posted', async () => {
    const { token, userId } = await api.registerUser();
    clock.set('2026-12-02T12:00:00Z');
    const { body: stated } = await calculate(token, userId, BILLION);
    clock.set('2026-12-31T12:00:00Z');
    const revised = await calculate(token, userId, 100, { pay_date: '2026-12-02' });
    expect(refused(revised)).toEqual([409, 'paycheck-already-accrued']);
    clock.set('2027-01-01T12:00:00Z');
    const yields = await api.apiKey(['write:yield', 'admin:owners']);
    expect((await accrue(yields, stated.vaults[0].vault_id)).body.balance_after).toBeGreaterThan(BILLION);
  });

  test('an income that has earned interest cannot be withdrawn', async () => {
    const { token, userId } = await api.registerUser();
    const { body: stated } = await calculate(token, userId, BILLION);
    clock.set('2027-01-03T12:00:00Z');
    const yields = await api.apiKey(['write:yield', 'admin:owners']);
    expect((await accrue(yields, stated.vaults[0].vault_id)).status).toBe(201);
    const pay_date = '2026-11-24';
    const revised = await calculate(token, userId, 200_000, { pay_date });
    expect(refused(revised)).toEqual([409, 'paycheck-already-accrued']);
    expect(revised.body.gross_income).toBe(BILLION);
    const more = await calculate(token, userId, BILLION, { pay_date, buffer_rate: '0.10' });
    expect(more.status).toBe(201);
  });

  test('today’s income can be reduced if its vault earned interest before', async () => {
    const { token, userId } = await api.registerUser();
    const { body: first } = await calculate(token, userId, 200_000);
    clock.set('2027-01-03T12:00:00Z');
    const yields = await api.apiKey(['write:yield', 'admin:owners']);
    expect((await accrue(yields, first.vaults[0].vault_id)).status).toBe(201);
    await calculate(token, userId, BILLION);
    expect((await calculate(token, userId, 100_000)).status).toBe(201);
  });

  test('a pay date more than 31 days ahead is refused, in a simulation too', async () => {
    const { token, userId } = await api.registerUser();
    for (const how of ['calculate', 'simulate']) {
      const ask = (pay_date: string) =>
        api.post(`${ENGINE}/${how}`, { token, body: { employee_id: userId, gross_pay: 1, obligations: [], pay_date } });
      expect(refused(await ask('2026-12-26'))).toEqual([422, 'pay-date-too-far']);
      expect((await ask('2026-12-25')).status).toBe(how === 'calculate' ? 201 : 200);
      expect(refused(await ask('2016-11-23'))).toEqual([400, 'invalid-request']);
    }
  });
});
