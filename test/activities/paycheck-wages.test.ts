import { calculatePaycheck, type PaycheckRequest } from '../../activities/paycheck/index.ts';
import type { Principal, Scope } from '../../domain/auth.ts';
import { wageById } from '../../infra/db/queries/bank-wages.ts';
import type { NewRow } from '../../infra/db/tables.ts';
import { accountsOf, affordabilityOf, interestOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, evidenceOf, expectSoundLedger } from '../helpers/money.ts';
import { refusal } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';
import { fresh, many } from '../helpers/senders.ts';
import { textQuery } from '../helpers/text-query.ts';
import { until } from '../helpers/until.ts';
import { storeWage } from '../helpers/wages.ts';

/* A wage in a person's bank account is income once, and proves nothing to whom else's money could pay. */

const clock = movableClock();
const env = withProductionKeys({ YIELD_RATE_SAVINGS: '0.05' });
const services = withDatabase({ bank: playedBank(), clock, env });
const paychecks = paychecksOf(services);
const payments = paymentsOf(services);
const auth = accountsOf(services);
const reverse = textQuery('test.reverseWage', "update bank_wages set status = 'reversed' where wage_id = $1");
const waiting = textQuery<{ sessions: number }>(
  'test.waiting',
  "select count(*)::int as sessions from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
);
const TODAY = '2026-11-24';
const PAYSLIP = { payslip_doc_id: 'doc_any', document_period: { from: '2026-11-01', to: '2026-11-30' } };
let app = '';
let payroll: Principal;
let other: Principal;

async function keyOf(scopes: readonly Scope[], limit?: number): Promise<Principal> {
  const income_limits = limit === undefined ? undefined : { perOwner: limit, perMonth: 100 * limit };
  const { key } = await auth.issueApiKey({ app_id: app, scopes, ...(income_limits && { income_limits }) });
  return auth.authenticate({ token: key });
}

beforeAll(async () => {
  app = (await auth.createApplication({ name: 'Employer' })).app_id;
  payroll = await keyOf(['write:paycheck', 'write:payments', 'assert:income'], 1_000_000);
  other = await keyOf(['write:paycheck', 'write:payments']);
});
beforeEach(() => clock.set(`${TODAY}T12:00:00Z`));
afterEach(() => expectSoundLedger(services, { clockGoesBack: true }));

const wageOf = (owner: string, amount: number, more: Partial<NewRow<'bank_wages'>> = {}) =>
  storeWage(services, owner, { amount, received_on: TODAY, ...more });

const rent = (amount: number) => [{ type: 'Rent', amount, category: 'FIXED' }] as const;

const asked = (employee_id: string, income: Partial<PaycheckRequest>): PaycheckRequest => ({
  ...{ principal: other, employee_id, obligations: [], buffer_rate: '0' },
  ...(income.wage_id === undefined && { pay_date: TODAY }),
  newOwner: { ownerId: employee_id, appId: app },
  ...income,
});
const calculate = (owner: string, income: Partial<PaycheckRequest>) =>
  paychecks.calculatePaycheck(asked(owner, income));
const simulate = (owner: string, income: Partial<PaycheckRequest>) => paychecks.simulatePaycheck(asked(owner, income));
const paychecksFor = async (employee_id: string) => (await paychecks.listPaychecks({ employee_id })).items;
const calculatedFrom = async (wageId: string) => (await services.db.one(wageById(wageId))).calculation_id;

async function payee(principal: Principal) {
  const bill = { name: 'Energy Ltd', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' } as const;
  return (await payments.addProvider({ principal, ...bill })).provider_id;
}
const pay = async (vault_allocation_id: string, amount: number) => {
  const bill = { vault_allocation_id, amount, currency: 'GBP', provider_id: await payee(payroll) };
  return payments.executePayment({ principal: payroll, ...bill });
};

test('a wage is income once, however many calculations of it run together', async () => {
  const owner = fresh('waged');
  const wage_id = await wageOf(owner, 1_000);
  const work = (request: PaycheckRequest) =>
    services.db.groupTransaction((tx) => calculatePaycheck(tx, services, request));
  const outcomes = await many(40, (place) =>
    Promise.all([
      refusal(work(asked(owner, { wage_id }))),
      place % 4 === 0 && work(asked(fresh('stated'), { gross_pay: 100 })),
    ]),
  );
  const [one, ...more] = await paychecksFor(owner);
  expect([one, more]).toMatchObject([{ wage_id, gross_income: 1_000, income_evidence: 'bank', revision: 1 }, []]);
  const refused = outcomes.map(([outcome]) => outcome).filter((outcome) => outcome !== 'done');
  expect(refused).toEqual(Array(39).fill({ code: 'wage-already-calculated', calculation_id: one!.id }));
  expect(await calculatedFrom(wage_id)).toBe(one!.id);
});

test('a wage that was received before today is income of that day, and comes back with each view', async () => {
  const owner = fresh('waged');
  const wage_id = await wageOf(owner, 1_000, { received_on: '2026-10-30' });
  const shown = { wage_id, pay_date: '2026-10-30', gross_income: 1_000, income_evidence: 'bank' };
  expect(await simulate(owner, { wage_id, principal: payroll })).toMatchObject({ ...shown, revision: 1 });
  expect([await paychecksFor(owner), await calculatedFrom(wage_id)]).toEqual([[], null]);
  const { id } = await calculate(owner, { wage_id, pay_date: '2026-10-30', principal: payroll });
  expect((await paychecks.explainPaycheck({ id })).calculation).toMatchObject(shown);
});

describe('the first wage of a day', () => {
  test.each([
    ['stated', { gross_pay: 900 }],
    ['payslip', { gross_pay: 1_000, ...PAYSLIP }],
  ])('revises a %s paycheck of that day', async (income_evidence, income) => {
    const owner = fresh('waged');
    expect(await calculate(owner, { ...income, obligations: rent(400) })).toMatchObject({ income_evidence });
    const wage_id = await wageOf(owner, 1_000);
    expect(await simulate(owner, { wage_id })).toMatchObject({ revision: 2 });
    const revised = await calculate(owner, { wage_id, obligations: rent(500) });
    expect(revised).toMatchObject({ revision: 2, income_evidence: 'bank', wage_id });
    expect(await balancesOf(services, owner)).toMatchObject({ safe_to_spend: 500, vault: 500 });
    // The caller may still change it, as any paycheck of the day.
    expect(await calculate(owner, { gross_pay: 1_100 })).toMatchObject({ revision: 3, income_evidence: 'stated' });
  });

  test('reduces a paycheck only if the person named the wage while signed in here', async () => {
    const owner = fresh('waged');
    await calculate(owner, { gross_pay: 1_001 });
    const by = await wageOf(owner, 1_000);
    expect(await refusal(calculate(owner, { wage_id: by, principal: payroll }))).toEqual({
      ...{ code: 'wage-below-paycheck', gross_income: 1_001 },
    });
    expect(await calculatedFrom(by)).toBeNull();
    const wage_id = await wageOf(owner, 1_000, { own_sign_in: true });
    expect(await calculate(owner, { wage_id })).toMatchObject({ revision: 2, gross_income: 1_000 });
  });

  test('leaves an asserted paycheck as it is, even for a key that may assert', async () => {
    const owner = fresh('waged');
    await calculate(owner, { gross_pay: 1_000, principal: payroll });
    const wage_id = await wageOf(owner, 1_000, { own_sign_in: true });
    for (const principal of [payroll, other])
      expect(await refusal(calculate(owner, { wage_id, principal }))).toEqual({ code: 'paycheck-asserted' });
    expect(await paychecksFor(owner)).toHaveLength(1);
  });
});

test('each further wage of a day is a paycheck of its own, which no revision of another one touches', async () => {
  const owner = fresh('waged');
  await calculate(owner, { gross_pay: 10_000, pay_date: '2026-11-10', principal: payroll });
  const [first, second, third] = await Promise.all([1_000, 2_000, 100].map((amount) => wageOf(owner, amount)));
  const one = await calculate(owner, { wage_id: first!, obligations: rent(400) });
  const two = await calculate(owner, { wage_id: second!, obligations: rent(700) });
  // Smaller than both, and named by nobody here.
  const three = await calculate(owner, { wage_id: third!, obligations: rent(100) });
  expect([one, two, three].map(({ revision, gross_income }) => [revision, gross_income])).toEqual([
    ...[
      [1, 1_000],
      [1, 2_000],
      [1, 100],
    ],
  ]);
  expect(new Set([one, two, three].map(({ vaults }) => vaults[0]!.allocation_id)).size).toBe(3);
  expect(new Set([one, two, three].map(({ vaults }) => vaults[0]!.vault_id)).size).toBe(1);

  await pay(one.vaults[0]!.allocation_id, 300);
  await pay(two.vaults[0]!.allocation_id, 700);
  expect(await refusal(calculate(owner, { gross_pay: 1_000, obligations: rent(299) }))).toEqual({
    ...{ code: 'paycheck-already-committed', committed: 300, shortfall: 1 },
  });
  const revised = await calculate(owner, { gross_pay: 1_000, obligations: rent(300) });
  expect(revised).toMatchObject({ revision: 2, vaults: [{ allocation_id: one.vaults[0]!.allocation_id }] });
  // The paycheck that the first wage was is stated now, and the day still has its wages.
  const fourth = await wageOf(owner, 50);
  expect(await calculate(owner, { wage_id: fourth })).toMatchObject({ revision: 1, gross_income: 50 });
  expect((await balancesOf(services, owner)).employer).toBe(-10_000 - 1_000 - 2_000 - 100 - 50);
});

describe('a wage cannot be calculated or simulated', () => {
  const elsewhere = [{ pointer: '/pay_date', detail: expect.stringContaining(TODAY) }];

  test.each([
    ['that is only suggested', { status: 'suggested', confirmed_at: null }, {}, 'wage-not-confirmed', 'suggested'],
    ['that was reversed', { status: 'reversed' }, {}, 'wage-not-confirmed', 'reversed'],
    ['of another person', { owner_id: 'usr_other' }, {}, 'unknown-wage', undefined],
    ['that nobody has', {}, { wage_id: 'wage_none' }, 'unknown-wage', undefined],
    ['on another day', {}, { pay_date: '2026-11-23' }, 'invalid-request', undefined],
  ] as const)('%s', async (_name, row, more, code, wage_status) => {
    const owner = fresh('waged');
    const request = { wage_id: await wageOf(owner, 1_000, row), ...more };
    const refused = { code, ...(wage_status && { wage_status }), ...('pay_date' in more && { errors: elsewhere }) };
    for (const work of [calculate, simulate]) expect(await refusal(work(owner, request))).toEqual(refused);
    expect([await paychecksFor(owner), await balancesOf(services, owner)]).toEqual([[], {}]);
  });

  test('that is reversed while its calculation waits for the owner', async () => {
    const owner = fresh('waged');
    const wage_id = await wageOf(owner, 1_000);
    const isWaiting = async () => (await services.db.one(waiting())).sessions > 0;
    let calculated: Promise<unknown> = Promise.resolve();
    await services.db.transaction(async (tx) => {
      await tx.run(reverse(wage_id));
      calculated = refusal(calculate(owner, { wage_id }));
      await until(isWaiting, 'the calculation to wait');
    });
    expect(await calculated).toEqual({ code: 'wage-not-confirmed', wage_status: 'reversed' });
  });
});

test('in production, a wage evidences nothing, and interest no longer counts beside it', async () => {
  const owner = fresh('waged');
  clock.set('2025-11-24T12:00:00Z');
  const savings = [{ type: 'Pot', amount: 10_000, category: 'SAVINGS' }] as const;
  const income = { gross_pay: 10_000, pay_date: '2025-11-24', obligations: savings, principal: payroll };
  const { vaults } = await calculate(owner, income);
  clock.set(`${TODAY}T12:00:00Z`);
  await interestOf(services).accrueYield({ vault_id: vaults[0]!.vault_id });
  const evidenced = async () => (await evidenceOf(services, owner)).evidenced;
  expect(await evidenced()).toBeGreaterThan(10_000);
  const wage = await calculate(owner, { wage_id: await wageOf(owner, 5_000), obligations: rent(5_000) });
  expect(await evidenced()).toBe(10_000);
  await pay(vaults[0]!.allocation_id, 10_000);
  expect(await refusal(pay(wage.vaults[0]!.allocation_id, 1))).toMatchObject({ code: 'income-not-evidenced' });
});

test('affordability counts each paycheck of a day, and names the basis of the newest', async () => {
  const affordability = affordabilityOf(services);
  const owner = fresh('waged');
  const reasons = async () => {
    const asks = { principal: anyKey, user_id: owner, proposed_amount: 1, frequency: 'MONTHLY' } as const;
    return (await affordability.simulateAffordability(asks)).reasons;
  };
  const incomes = [
    ['stated', { gross_pay: 1_000 }, 1],
    ['asserted', { gross_pay: 1_000, principal: payroll, pay_date: '2026-11-25' }, 2],
    ['payslip', { gross_pay: 1_000, ...PAYSLIP, pay_date: '2026-11-26' }, 3],
    ['bank', { wage_id: await wageOf(owner, 1_000, { received_on: '2026-11-27' }) }, 4],
    ['bank', { wage_id: await wageOf(owner, 1_000, { received_on: '2026-11-27' }) }, 5],
    // The day's second wage stays the newest.
    ['bank', { gross_pay: 1_000, pay_date: '2026-11-27' }, 5],
  ] as const;
  for (const [income_basis, income, paid] of incomes) {
    await calculate(owner, income);
    const about = { income_basis, paychecks: paid };
    expect((await reasons())[1]).toEqual({ code: paid > 1 ? 'income-steady' : 'too-few-paychecks', ...about });
  }
});
