import { paymentActivities } from '../../activities/payments/index.ts';
import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { payerOf } from '../helpers/payee-payments.ts';

const bank = playedBank();
const clock = movableClock();
const api = startApi({ bank, clock });
const payer = payerOf(api.services, bank);
let token = '';
let owners = 0;

const PROVIDER = 'prov_sandbox_slow';
const DEBT = '/api/v1/engine/debt';
const paid = { debt: 'Card', amount: 5_000, paid_on: '2026-11-21' };

beforeAll(async () => {
  clock.set('2026-11-21T12:00:00Z');
  token = await api.apiKey(SCOPES);
  await paymentActivities(api.services).ensureSandboxPayees();
});
afterEach(() => expectSoundLedger(api.services));

const newOwner = () => `emp-${(owners += 1)}`;
const aPlan = async (user_id: string) => {
  const debt = { name: 'Card', balance: 100_000, rate: 0, minimum: 0, provider_id: PROVIDER };
  const { status, body } = await api.post(`${DEBT}/plan`, {
    token,
    body: { user_id, debts: [debt], monthly_budget: 10_000 },
  });
  expect(status).toBe(201);
  return body.plan_id as string;
};
const record = (id: string, body: object, headers: Record<string, string> = {}) =>
  api.post(`${DEBT}/${id}/payments`, { token, body, headers });
const paidIn = async (id: string) =>
  (await api.get(`${DEBT}/${id}/progress`, { token })).body.paid_to_date as unknown as number;

test('one payment of one debt counts once: not in a second plan, and not again when recorded manually', async () => {
  const owner = newOwner();
  const plans = [await aPlan(owner), await aPlan(owner)];
  const { payment_id } = await payer.complete(owner, PROVIDER, 5_000);
  for (const plan of plans) {
    expect(await record(plan, paid)).toMatchObject({
      status: 409,
      body: { code: 'already-counted', type: '/problems/already-counted', payment_id },
    });
  }
  expect(await Promise.all(plans.map(paidIn))).toEqual([0, 5_000]);
});

test('201: another payment of the same amount is recorded if `separate` is true', async () => {
  const owner = newOwner();
  const plan = await aPlan(owner);
  await payer.complete(owner, PROVIDER, 5_000);
  const recorded = await record(plan, { ...paid, separate: true });
  expect(recorded).toMatchObject({ status: 201, body: { plan_id: plan, amount: 5_000, remaining: 90_000 } });
  expect(recorded.body).not.toHaveProperty('separate');
  expect(await paidIn(plan)).toBe(10_000);
});

test('the response to an Idempotency-Key stays the same, even if payments complete or return meanwhile', async () => {
  const owner = newOwner();
  const plan = await aPlan(owner);
  const first = await record(plan, paid, { 'idempotency-key': 'before' });
  const payment = await payer.complete(owner, PROVIDER, 5_000);
  const refused = await record(plan, paid, { 'idempotency-key': 'after' });
  expect([first.status, refused.status]).toEqual([201, 409]);
  await payment.comeBack();
  expect((await record(plan, paid, { 'idempotency-key': 'before' })).body).toEqual(first.body);
  expect(await record(plan, paid, { 'idempotency-key': 'after' })).toMatchObject({
    status: 409,
    body: { code: 'already-counted' },
    headers: { 'idempotent-replayed': 'true' },
  });
  expect(await record(plan, { ...paid, separate: true }, { 'idempotency-key': 'after' })).toMatchObject({
    status: 422,
    body: { code: 'idempotency-key-reused' },
  });
  expect(await paidIn(plan)).toBe(5_000);
});

test.each(['yes', 1, null])('400: separate is %j', async (separate) => {
  const answer = await record(await aPlan(newOwner()), { ...paid, separate });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/separate' }] } });
});
