import { addDays } from '../../domain/dates.ts';
import { readOutlook } from '../../activities/outlook.ts';
import { insertion } from '../../infra/db/query.ts';
import { affordabilityOf, debtsOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { storeAccount, storeTransactions } from '../helpers/read-accounts.ts';
import { textQuery } from '../helpers/text-query.ts';
import { storeWage } from '../helpers/wages.ts';
import { unguarded } from '../helpers/owner.ts';

const clock = movableClock();
const services = withDatabase({ clock, bank: playedBank() });
const { db } = services;
const payments = paymentsOf(services);
const insertSplit = insertion('test.insertSplit', 'standing_splits');
const insertEntry = insertion('test.insertEntry', 'standing_entries');
const insertPayday = insertion('test.insertPayday', 'paydays');
const insertBill = insertion('test.insertBill', 'payday_bills');
const pause = textQuery('test.pauseSplit', 'update standing_splits set paused_at = updated_at where owner_id = $1');
/** As if it were due at once, and the bank away. */
const postpone = (owner: string) =>
  unguarded(services, 'payments', 'update payments set execute_on = null where owner_id = $1', [owner]);

const AT = '2026-11-21T09:30:00.000Z';
const BILLS = [
  { type: 'Rent', amount: 30_000, provider_id: 'prov_sandbox_slow', pay_day: 1, pay_amount: 150_000 },
  { type: 'Energy', amount: 5_000, provider_id: 'prov_sandbox_instant', pay_day: 28 },
  { type: 'Gym', amount: 1_000, provider_id: 'prov_sandbox_blocked' },
];

beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => clock.set(AT));
afterEach(() => expectSoundLedger(services));

/** Wages of £1,000 on Fridays, the last one yesterday, a split, a payment by it on the 28th, and a debt plan. */
async function ownerWithSplit(owner_id: string): Promise<void> {
  const paid = { principal: anyKey, employee_id: owner_id, gross_pay: 300_000, pay_date: '2026-11-20' };
  const rent = { type: 'Rent', amount: 120_000, category: 'FIXED' } as const;
  const { vaults } = await paychecksOf(services).calculatePaycheck({ ...paid, obligations: [rent] });
  const account = await storeAccount(services, { ownerId: owner_id, connections: [] });
  const credit = (payer: string, days: number) => [addDays('2026-11-20', -days), 100_000, { payer }] as const;
  const credits = ['acme', 'suggested'].flatMap((payer) => [0, 7, 14].map((days) => credit(payer, days)));
  const [transaction_id] = await storeTransactions(services, account, credits);
  const wage = { amount: 100_000, received_on: '2026-11-20' };
  const wage_id = await storeWage(services, owner_id, { ...wage, payer_hash: 'acme', transaction_id: transaction_id! });
  await storeWage(services, owner_id, { ...wage, payer_hash: 'suggested', status: 'suggested' });

  await db.run(insertSplit({ owner_id, buffer_rate: '0.05', version: 1, set_by: 'key_test', updated_at: AT }));
  for (const [position, entry] of BILLS.entries()) {
    const made = { set_by: 'key_test', created_at: AT, updated_at: AT };
    await db.run(
      insertEntry({ entry_id: `${owner_id}-${position}`, owner_id, position, category: 'FIXED', ...made, ...entry }),
    );
  }
  const bill = {
    vault_allocation_id: vaults[0]!.allocation_id,
    amount: 100,
    currency: 'GBP',
    provider_id: 'prov_sandbox_instant',
  };
  const { payment_id } = await payments.executePayment({ principal: anyKey, ...bill, execute_on: '2026-11-28' });
  await db.run(insertPayday({ wage_id, owner_id, started_at: AT }));
  const month = { payment_id, month: '2026-11-01', created_at: AT };
  await db.run(insertBill({ wage_id, entry_id: `${owner_id}-1`, owner_id, type: 'Energy', amount: 100, ...month }));
  const card = { name: 'Card', balance: 500_000, rate: 0, minimum: 0, provider_id: 'prov_sandbox_instant' };
  const plan = { name: 'Cards', debts: [card], monthly_budget: 10_000, start_date: '2026-10-25' };
  await debtsOf(services).createDebtPlan({ principal: anyKey, user_id: owner_id, ...plan });
}

const eventsOf = async (user_id: string) =>
  (await readOutlook(services, { user_id, days: 35 })).days
    .filter((day) => day.in + day.out + day.bills.length > 0)
    .map((day) => [
      day.date,
      day.in,
      day.out,
      day.balance,
      ...day.bills.map(({ type, amount }) => `${type} ${amount}`),
    ]);

test('the outlook knows wages, vaults, the split with its months, scheduled payments and debt plans', async () => {
  await ownerWithSplit('emp-1');
  // Of each wage, £360 are set aside and £50 are the buffer. The vault for the rent has £1,199 and gets £300.
  expect(await eventsOf('emp-1')).toEqual([
    ['2026-11-25', 0, 10_000, 140_000, 'Cards 10000'],
    ['2026-11-27', 59_000, 0, 199_000, 'Gym 1000'],
    ['2026-11-28', 0, 0, 199_000, 'Energy 100'],
    ['2026-12-01', 0, 100, 198_900, 'Rent 150000'],
    ['2026-12-04', 59_000, 0, 257_900, 'Gym 1000'],
    ['2026-12-11', 59_000, 0, 316_900, 'Gym 1000'],
    ['2026-12-18', 59_000, 0, 375_900, 'Gym 1000'],
    ['2026-12-25', 59_000, 9_900, 425_000, 'Gym 1000', 'Cards 9900'],
  ]);
  expect(await readOutlook(services, { user_id: 'emp-unknown' })).toMatchObject({ starts_with: 0, short_on: null });
});

test('a payment that the bank has not taken yet is a bill of today, and counts in its debt plan', async () => {
  await ownerWithSplit('emp-4');
  await postpone('emp-4');
  expect((await eventsOf('emp-4')).slice(0, 2)).toEqual([
    ['2026-11-21', 0, 0, 150_000, 'Energy 100'],
    ['2026-11-25', 0, 9_900, 140_100, 'Cards 9900'],
  ]);
});

test('a paused split neither sets aside nor pays: its scheduled payments are left out', async () => {
  await ownerWithSplit('emp-2');
  await db.run(pause('emp-2'));
  expect((await eventsOf('emp-2')).slice(0, 3)).toEqual([
    ['2026-11-25', 0, 10_000, 140_000, 'Cards 10000'],
    ['2026-11-27', 95_000, 0, 235_000],
    ['2026-12-04', 95_000, 0, 330_000],
  ]);
});

test('affordability uses the lowest day ahead with a standing split, and what is safe to spend now if it is paused', async () => {
  await ownerWithSplit('emp-3');
  const check = { principal: anyKey, user_id: 'emp-3', proposed_amount: 4_500, frequency: 'MONTHLY' } as const;
  const before = await affordabilityOf(services).simulateAffordability(check);
  expect(before.impact).toMatchObject({ safe_to_spend_before: 140_000, lowest_on: '2026-11-25' });
  await db.run(pause('emp-3'));
  const { impact } = await affordabilityOf(services).simulateAffordability(check);
  expect([impact.safe_to_spend_before, impact.lowest_on]).toEqual([150_000, undefined]);
});
