import { authActivities } from '../../activities/auth.ts';
import { startApi } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { problem } from '../helpers/problem.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';

/* Tests attacks by which a newly registered person could take the money of an operator in production. */

const BILLION = 100_000_000_000;
const PAYEE = { name: 'Own Account Ltd', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };

const bank = playedBank();
const clock = movableClock();
const env = withProductionKeys({ YIELD_RATE_SAVINGS: '0.045' });
// This check needs the database, which the API drops.
afterAll(() => expectSoundLedger(api.services, { clockGoesBack: true }));
const api = startApi({ bank, clock, env });
beforeEach(() => clock.set('2026-11-24T12:00:00Z'));

const calculate = (token: string, employee_id: string, gross_pay: number, more: object = {}) => {
  const obligations = [{ type: 'Savings', amount: gross_pay, category: 'SAVINGS' }];
  const body = { employee_id, gross_pay, obligations, buffer_rate: '0', ...more };
  return api.post('/api/v1/engine/paycheck/calculate', { token, body });
};
const pay = async (token: string, vault_allocation_id: string, amount: number) => {
  const { body: payee } = await api.post('/api/v1/payments/providers', { token, body: PAYEE });
  const body = { vault_allocation_id, amount, currency: 'GBP', provider_id: payee.provider_id as string };
  return api.post('/api/v1/payments/execute', { token, body });
};
const issue = async (perOwner: number, perMonth: number) =>
  authActivities(api.services).issueApiKey({
    app_id: await api.application(),
    scopes: ['write:paycheck', 'write:payments', 'assert:income'],
    income_limits: { perOwner, perMonth },
  });
const forty = <T>(work: (place: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 40 }, (_, place) => work(place)));

test('a person who states a billion pounds cannot spend any of it', async () => {
  const { token, userId } = await api.registerUser({ proved: true });
  const { status, body } = await calculate(token, userId, BILLION);
  expect([status, body.income_evidence]).toEqual([201, 'stated']);
  const paid = await pay(token, body.vaults[0].allocation_id, BILLION / 2);
  const figures = { evidenced: 0, spent: 0, shortfall: BILLION / 2 };
  expect(paid).toMatchObject(problem(422, 'income-not-evidenced', figures));
  const listed = await api.get(`/api/v1/payments?user_id=${userId}`, { token });
  expect([listed.body.items, bank.submitted]).toEqual([[], []]);
});

test('a person cannot revise what a payroll asserted', async () => {
  const { token, userId } = await api.registerUser({ proved: true });
  await calculate((await issue(200_000, 200_000)).key, userId, 200_000);
  for (const other of [token, await api.apiKey(['write:paycheck'])])
    expect(await calculate(other, userId, BILLION)).toMatchObject(problem(409, 'paycheck-asserted'));
});

test('interest on a stated billion cannot be spent, and an income that has earned interest cannot be withdrawn', async () => {
  const { token, userId } = await api.registerUser({ proved: true });
  const pay_date = '2026-11-01';
  const { body: stated } = await calculate(token, userId, BILLION, { pay_date });
  await calculate((await issue(200_000, 200_000)).key, userId, 200_000);
  clock.set('2027-01-03T12:00:00Z');
  const yields = await api.apiKey(['write:yield', 'admin:owners']);
  const { vault_id, allocation_id } = stated.vaults[0];
  const accrued = await api.post('/api/v1/engine/yield/accrue', { token: yields, body: { vault_id } });
  expect(accrued.body.accrued).toBeGreaterThan(400_000_000);
  const figures = { evidenced: 200_000, spent: 0, shortfall: 1 };
  expect(await pay(token, allocation_id, 200_001)).toMatchObject(problem(422, 'income-not-evidenced', figures));
  const reduced = await calculate(token, userId, 200_000, { pay_date });
  expect(reduced).toMatchObject(problem(409, 'paycheck-already-accrued', { gross_income: BILLION }));
  expect((await calculate(token, userId, BILLION, { pay_date, buffer_rate: '0.10' })).status).toBe(201);
});

test('a key that may assert income cannot be made without limits', async () => {
  await expect(api.apiKey(['assert:income', 'write:paycheck'])).rejects.toMatchObject({ code: 'invalid-request' });
});

test('forty assertions at once stay within the limit of the month', async () => {
  const { key } = await issue(100_000, 1_000_000);
  const answers = await forty((place) => calculate(key, `forty-${place}`, 100_000));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(30);
  const figures = { limit: 1_000_000, asserted: 1_000_000, scope: 'month' };
  for (const answer of refused) expect(answer).toMatchObject(problem(422, 'exceeds-income-limit', figures));
  clock.set('2026-12-01T00:00:00Z');
  expect((await calculate(key, 'forty-later', 100_000)).status).toBe(201);
});

test('forty assertions for one owner at once stay within its limit, also with a rotated key', async () => {
  const { key, key_id } = await issue(100_000, 1_000_000);
  const day = (place: number) => `2026-${place < 20 ? '10' : '11'}-${String((place % 20) + 1).padStart(2, '0')}`;
  const answers = await forty((place) => calculate(key, 'one-owner', 10_000, { pay_date: day(place) }));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(10);
  const figures = { limit: 100_000, asserted: 100_000, scope: 'owner' };
  const beyond = problem(422, 'exceeds-income-limit', figures);
  expect(answers.find(({ status }) => status !== 201)).toMatchObject(beyond);
  // Of a revised paycheck, only the change of its income counts towards the limit.
  expect((await calculate(key, 'one-owner', 9_000, { pay_date: made[0]!.body.pay_date })).status).toBe(201);
  const { key: rotated } = await authActivities(api.services).rotateApiKey({ key_id, overlap_days: 1 });
  expect((await calculate(rotated, 'one-owner', 1_000, { pay_date: '2026-09-01' })).status).toBe(201);
  expect(await calculate(rotated, 'one-owner', 1, { pay_date: '2026-09-02' })).toMatchObject(beyond);
});
