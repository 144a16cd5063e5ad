import { sql } from 'kysely';
import { addDays } from '../../domain/dates.ts';
import type { Frequency } from '../../domain/finances.ts';
import { PAYEE_CATEGORIES, type PayeeCategory } from '../../domain/payments.ts';
import { countPunctuality, type PaymentPast } from '../../domain/reliability.ts';
import { query as built } from '../../infra/db/query.ts';
import { paymentsPast as pastOfOwner, type PaymentsCounted } from '../../infra/db/queries/reliability.ts';
import { affordabilityOf, allocationsOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, expectSoundLedger, userOf } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';
import { bankIdOf, playedBank } from '../helpers/played-bank.ts';
import { outcomeOf } from '../helpers/refusal.ts';

const clock = movableClock();
const bank = playedBank();
const services = withDatabase({ clock, bank });
const affordability = affordabilityOf(services);
const paychecks = paychecksOf(services);
const payments = paymentsOf(services);
const allocations = allocationsOf(services);
const paymentsPast = built(
  'test.paymentsPast',
  (counted: PaymentsCounted) => sql<PaymentPast & { payment_id: string; category: string }>`${pastOfOwner(counted)}`,
);
let count = 0;
const owner = () => `emp-${(count += 1)}`;

beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));
afterEach(() => expectSoundLedger(services));

const paid = (employee_id: string, gross_pay: number, pay_date: string, bills = 0) =>
  paychecks.calculatePaycheck({
    ...{ principal: anyKey, employee_id, gross_pay, pay_date },
    obligations: bills === 0 ? [] : [{ type: 'Bills', amount: bills, category: 'FIXED' }],
  });
const simulate = (user_id: string, proposed_amount = 4_500, frequency: Frequency = 'MONTHLY') =>
  affordability.simulateAffordability({ principal: anyKey, user_id, proposed_amount, frequency });
const traces = textQuery<{ rows: number }>(
  'test.tracesOf',
  `select (select count(*) from owners where owner_id = $1) + (select count(*) from ledger_accounts where owner_id = $1)
        + (select count(*) from affordability_checks where owner_id = $1) + (select count(*) from outbox_messages)
        + (select count(*) from audit_events) as rows`,
);
const changeCheck = textQuery('test.changeCheck', `update affordability_checks set result = '{}'`);

const execute = async (vault_allocation_id: string, more: object = {}) => {
  const bill = { vault_allocation_id, amount: 100, currency: 'GBP', provider_id: 'prov_sandbox_instant' };
  return (await payments.executePayment({ principal: anyKey, ...bill, ...more })).payment_id;
};

async function pay(allocationId: string, how: 'settled' | 'refused' | 'accepted', more: object = {}): Promise<string> {
  const payment_id = await execute(allocationId, more);
  await submit(payment_id, 1, how);
  return payment_id;
}

async function submit(payment_id: string, attempt: number, how: 'settled' | 'refused' | 'accepted') {
  const bankPaymentId = bankIdOf({ paymentId: payment_id, attempt });
  bank.answers =
    how === 'refused'
      ? [{ kind: 'refused', reason: { code: 'AM04', detail: 'no funds' } }]
      : [{ kind: 'accepted', bankPaymentId, status: how === 'settled' ? 'ACSC' : 'ACSP', reason: null }];
  await payments.submitPayment({ payment_id, attempt, settle_within_ms: 0 });
}

describe('simulateAffordability', () => {
  test('uses the current safe to spend, buffer, paychecks and payments', async () => {
    const user_id = owner();
    const { vaults } = await paid(user_id, 300_000, '2026-11-20', 120_000);
    expect(await simulate(user_id)).toMatchObject({
      ...{ user_id, proposed_amount: 4_500, frequency: 'MONTHLY', category: null, affordable: true },
      ...{ score: 83, confidence: 0.48, monthly_equivalent: 4_500, largest_affordable_amount: 96_818 },
      impact: { safe_to_spend_before: 150_000, safe_to_spend_after: 145_500, reduction_percentage: 3 },
      calculated_at: '2026-11-21T09:30:00.000Z',
    });
    await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount: 50_000 });
    await pay(vaults[0]!.allocation_id, 'settled');
    const after = await simulate(user_id);
    expect(after.impact).toMatchObject({ safe_to_spend_before: 100_000, safe_to_spend_after: 95_500 });
    expect(after.reasons.map(({ code }) => code)).toContain('payments-on-time');
    expect(after.confidence).toBe(0.49);
  });

  test('uses the six latest paychecks by pay date, each in its latest revision', async () => {
    const user_id = owner();
    await paid(user_id, 100_000, '2026-01-28');
    await paid(user_id, 200_000, '2026-06-28');
    await paid(user_id, 250_000, '2026-02-28');
    for (const month of [3, 4, 5, 7, 6, 2]) await paid(user_id, 300_000, `2026-0${month}-28`);
    const { reasons, confidence } = await simulate(user_id, 100, 'WEEKLY');
    expect(reasons).toContainEqual({ code: 'income-steady', income_basis: 'asserted', paychecks: 6 });
    expect(confidence).toBe(0.88);
  });

  test('stores only the check, which the database never changes', async () => {
    const user_id = owner();
    await paid(user_id, 300_000, '2026-11-20');
    const rows = async (of: string) => (await services.db.one(traces(of))).rows;
    const before = await rows(user_id);
    await affordability.readAffordabilityScore({ user_id });
    expect(await rows(user_id)).toBe(before);
    await simulate(user_id, 1, 'ANNUAL');
    expect(await rows(user_id)).toBe(before + 1);
    await expect(services.db.run(changeCheck())).rejects.toThrow('permission denied');
    await expect(ownerSql(services, changeCheck().text)).rejects.toThrow('append-only');
  });

  test('without income the check is refused, and nothing is stored', async () => {
    const user_id = owner();
    const before = await services.db.one(traces(user_id));
    for (const ask of [() => simulate(user_id), () => affordability.readAffordabilityScore({ user_id })])
      expect((await outcomeOf(ask())).code).toBe('no-income-on-record');
    expect(await services.db.one(traces(user_id))).toEqual(before);
  });

  test('reads one consistent snapshot while money moves', async () => {
    const user_id = owner();
    // The buffer gets half of each wage, so it always equals the safe-to-spend balance.
    const wage = (day: number) =>
      paychecks.calculatePaycheck({
        ...{ principal: anyKey, employee_id: user_id, gross_pay: 1_000, obligations: [], buffer_rate: '0.5' },
        pay_date: addDays('2026-08-01', day),
      });
    await wage(1);
    let looks = 0;
    let paying = true;
    const wages = (async () => {
      for (let day = 2; day <= 28 || (looks < 4 && day < 100); day += 1) await wage(day);
      paying = false;
    })();
    while (paying) {
      const { impact, factors } = await simulate(user_id, 1);
      expect(factors[2]).toMatchObject({ name: 'cushion', value: '1.0000' });
      expect(impact.safe_to_spend_before % 500).toBe(0);
      looks += 1;
    }
    await wages;
    expect(looks).toBeGreaterThan(3);
  });
});

describe('punctuality', () => {
  const pastOf = (user_id: string, from = '2025-11-21', to = '2026-12-31') =>
    services.db.many(paymentsPast({ owner_id: user_id, from, to, categories: PAYEE_CATEGORIES }));
  const counted = async (user_id: string) =>
    countPunctuality({ payments: await pastOf(user_id), now: await services.clock.now(services.db) });

  test('a payment settled by its due date is on time, one that settles or fails later is missed, and one that may still settle is open', async () => {
    const user_id = owner();
    const { vaults } = await paid(user_id, 300_000, '2026-11-20', 100_000);
    const lot = vaults[0]!.allocation_id;
    await pay(lot, 'settled');
    await pay(lot, 'settled', { due_date: '2026-11-20' });
    const failed = await pay(lot, 'refused');
    const slow = await pay(lot, 'accepted', { due_date: '2026-11-22' });
    expect(await counted(user_id)).toEqual({ concluded: 2, onTime: 1, missed: 1 });

    // Without a due date, the failed payment's deadline is the end of the day after it was made.
    clock.set('2026-11-22T23:59:59.000Z');
    await payments.retryPayment({ principal: anyKey, payment_id: failed });
    await submit(failed, 2, 'settled');
    expect(await counted(user_id)).toEqual({ concluded: 3, onTime: 2, missed: 1 });

    clock.set('2026-11-23T00:00:00.000Z');
    bank.says = { status: 'ACSC', reason: null, returned: null };
    await payments.checkPayment({ payment_id: slow, attempt: 1 });
    expect(await counted(user_id)).toEqual({ concluded: 4, onTime: 2, missed: 2 });
  });

  test('a failed payment that is retried too late stays missed, both in flight and settled', async () => {
    const user_id = owner();
    const { vaults } = await paid(user_id, 300_000, '2026-11-20', 100_000);
    const failed = await pay(vaults[0]!.allocation_id, 'refused');
    expect((await counted(user_id)).concluded).toBe(0);
    clock.set('2026-11-23T00:00:00.000Z');
    const missed = { concluded: 1, onTime: 0, missed: 1 };
    expect(await counted(user_id)).toEqual(missed);
    await payments.retryPayment({ principal: anyKey, payment_id: failed });
    expect(await counted(user_id)).toEqual(missed);
    await submit(failed, 2, 'settled');
    expect(await counted(user_id)).toEqual(missed);
  });

  test('payments count for twelve months by due date, else by scheduled date, else by initiation', async () => {
    const user_id = owner();
    const { vaults } = await paid(user_id, 300_000, '2026-11-20', 100_000);
    const lot = vaults[0]!.allocation_id;
    await pay(lot, 'settled', { due_date: '2025-11-20' });
    await pay(lot, 'settled', { due_date: '2025-11-21' });
    await pay(lot, 'settled', { due_date: '2026-11-22' });
    const payment_id = await execute(lot, { principal: userOf(user_id), execute_on: '2026-12-20' });
    expect((await pastOf(user_id, '2025-11-21', '2026-11-21')).map(({ due_date }) => due_date)).toEqual(['2025-11-21']);
    clock.set('2026-12-20T08:00:00.000Z');
    await submit(payment_id, 1, 'settled');
    expect((await pastOf(user_id)).at(-1)).toMatchObject({ payment_id, execute_on: '2026-12-20' });
    // One payment was long overdue, one was on time, and the scheduled payment was made on its day.
    expect(await counted(user_id)).toEqual({ concluded: 3, onTime: 2, missed: 1 });
    const { factors } = await affordability.readAffordabilityScore({ user_id });
    // The last twelve months include the payment that was due in November and the scheduled payment.
    expect(factors[3]).toEqual({ name: 'punctuality', value: '1.0000', weight: '0.10' });
  });

  test('returned and cancelled payments do not count', async () => {
    const user_id = owner();
    const { vaults } = await paid(user_id, 300_000, '2026-11-20', 100_000);
    const returned = await pay(vaults[0]!.allocation_id, 'settled');
    const back = { at: '2026-11-21T10:00:00.000Z', reason: { code: 'AC04', detail: 'closed' } };
    bank.says = { status: 'ACSC', reason: null, returned: back };
    await payments.checkPayment({ payment_id: returned, attempt: 1 });
    const later = await execute(vaults[0]!.allocation_id, { execute_on: '2026-11-30' });
    await payments.cancelPayment({ principal: anyKey, payment_id: later });
    clock.set('2026-12-31T00:00:00.000Z');
    expect(await counted(user_id)).toEqual({ concluded: 0, onTime: 0, missed: 0 });
  });

  test('only the requested categories are read', async () => {
    const user_id = owner();
    const { vaults } = await paid(user_id, 300_000, '2026-11-20', 100_000);
    await pay(vaults[0]!.allocation_id, 'settled');
    const [only] = await pastOf(user_id);
    const others = PAYEE_CATEGORIES.filter((category) => category !== only!.category);
    const countOf = async (categories: PaymentsCounted['categories']) =>
      (await services.db.many(paymentsPast({ owner_id: user_id, from: '2026-01-01', to: '2026-12-31', categories })))
        .length;
    expect([await countOf(others), await countOf([only!.category as PayeeCategory])]).toEqual([0, 1]);
  });
});
