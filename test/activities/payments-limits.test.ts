import type { DomainError } from '../../domain/errors.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { expectSoundLedger, fund, userOf } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';

const bank = playedBank();
const clock = movableClock();
const services = withDatabase({
  bank,
  clock,
  env: { LIMIT_PAYMENT: '50000', LIMIT_OWNER_PAYMENTS_PER_DAY: '80000' },
});
const payments = paymentsOf(services);
let owners = 0;

beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => {
  bank.answers = [];
  clock.set('2026-11-25T12:00:00Z');
});
afterEach(() => expectSoundLedger(services));

async function anOwner() {
  const owner = `limited-${(owners += 1)}`;
  const { allocationId } = await fund(services, owner, 500_000);
  const principal = userOf(owner);
  const pay = (amount: number, execute_on?: string) =>
    payments.executePayment({
      principal,
      vault_allocation_id: allocationId,
      amount,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
      ...(execute_on !== undefined && { execute_on }),
    });
  return { principal, pay };
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => ({ code: (error as DomainError).code, ...(error as DomainError).extra }),
  );
const exceeds = (limit: number, used: number, available: number) => ({
  code: 'exceeds-payment-limit',
  limit,
  used,
  available,
});

test('a payment of exactly the limit is made, and a penny more is refused', async () => {
  const { pay } = await anOwner();
  expect(await refusal(pay(50_001))).toEqual(exceeds(50_000, 0, 50_000));
  expect((await pay(50_000)).status).toBe('processing');
});

test('the daily limit counts payments on the day of the request, whenever they are due', async () => {
  const { pay } = await anOwner();
  await pay(50_000);
  await pay(20_000, '2026-12-24');
  expect(await refusal(pay(10_001))).toEqual(exceeds(80_000, 70_000, 10_000));
  await pay(10_000);
  expect(await refusal(pay(1))).toEqual(exceeds(80_000, 80_000, 0));
});

test('each owner has a separate limit, which restarts at midnight in London', async () => {
  const [one, other] = [await anOwner(), await anOwner()];
  clock.set('2026-11-25T23:59:00Z');
  await one.pay(50_000);
  await one.pay(30_000);
  await other.pay(50_000);
  expect(await refusal(one.pay(1))).toEqual(exceeds(80_000, 80_000, 0));
  clock.set('2026-11-26T00:00:00Z');
  expect((await one.pay(50_000)).status).toBe('processing');
});

test('a cancelled payment does not count, and a failed one counts only when retried', async () => {
  const { principal, pay } = await anOwner();
  const cancelled = await pay(50_000, '2026-11-27');
  await payments.cancelPayment({ principal, payment_id: cancelled.payment_id });
  const failed = await pay(50_000);
  bank.answers = [{ kind: 'refused', reason: { code: 'AM04', detail: 'no funds' } }];
  await payments.submitPayment({ payment_id: failed.payment_id, attempt: 1, settle_within_ms: 0 });
  await pay(40_000);
  expect(await refusal(payments.retryPayment({ principal, payment_id: failed.payment_id }))).toEqual(
    exceeds(80_000, 40_000, 40_000),
  );
});

test('of forty simultaneous payments only as many are made as the daily limit allows', async () => {
  const { pay } = await anOwner();
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => refusal(pay(7_000))));
  expect(outcomes.filter((outcome) => outcome === 'nothing was refused')).toHaveLength(11);
});
