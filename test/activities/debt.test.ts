import type { DebtPlan, DebtSimulationRequest } from '../../openapi/types.ts';
import { PROBLEMS } from '../../api/http/reply/problem.ts';
import { simulateRepayment } from '../../domain/debt/simulation.ts';
import { MOST_PAYMENTS, MOST_REVISIONS } from '../../domain/debt/plan.ts';
import { pence } from '../../domain/money.ts';
import { debtsOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import type { LongJson } from '../../infra/threads/long-json.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, userOf } from '../helpers/money.ts';
import { payerOf } from '../helpers/payee-payments.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { outcomeOf } from '../helpers/refusal.ts';

const bank = playedBank();
const clock = movableClock();
const services = withDatabase({ bank, clock });
const debts = debtsOf(services);
const payments = paymentsOf(services);
const payer = payerOf(services, bank);

const A = { name: 'A', balance: 300_000, rate: 2_490, minimum: 9_000 };
const B = { name: 'B', balance: 150_000, rate: 690, minimum: 5_000 };
const C = { name: 'C', balance: 60_000, rate: 3_990, minimum: 2_500 };
const three = { debts: [A, B, C], monthly_budget: 30_000 };
const fifty = (months: number): DebtSimulationRequest => ({
  debts: Array.from({ length: 50 }, (_, index) => ({
    name: `Debt ${index}`,
    balance: months * 1_000,
    rate: 0,
    minimum: 1_000,
  })),
  monthly_budget: 50_000,
});

let owners = 0;
const newOwner = () => `owner-${(owners += 1)}`;
const read = <View>(json: LongJson<View>) => JSON.parse(Buffer.from(json).toString()) as View;
const aPlan = async (given: Partial<Parameters<typeof debts.createDebtPlan>[0]> = {}) => {
  const user_id = given.user_id ?? newOwner();
  const { json } = await debts.createDebtPlan({ principal: anyKey, user_id, ...three, ...given });
  return read<DebtPlan>(json);
};
const change = async (plan_id: string, given: object, revisions?: readonly number[]) =>
  read<DebtPlan>((await debts.changeDebtPlan({ plan_id, principal: anyKey, revisions, ...given })).json);
const progressOf = async (plan_id: string) => (await debts.readDebtProgress({ plan_id })).progress;
const planOf = async (plan_id: string) => read<DebtPlan>((await debts.getDebtPlan({ plan_id })).json);
const record = (plan_id: string, debt: string, amount: number, paid_on: string) =>
  debts.recordDebtPayment({ plan_id, principal: anyKey, debt, amount, paid_on });
const audited = textQuery<{ kind: string; actor: string; data: Record<string, unknown> }>(
  'test.debtAudited',
  'select kind, actor, data from audit_events where subject = $1 order by seq',
);
const rowsInAll = textQuery<{ rows: number }>(
  'test.debtRows',
  `select (select count(*) from debt_plans) + (select count(*) from debt_plan_revisions) + (select count(*) from debt_payments)
        + (select count(*) from owners) + (select count(*) from audit_events) + (select count(*) from ledger_transfers)
        + (select count(*) from idempotency_records) as rows`,
);
const revisionsOf = textQuery<{ revision: number; strategy: string; monthly_budget: number; name: string | null }>(
  'test.debtRevisions',
  'select revision, strategy, monthly_budget, name from debt_plan_revisions where plan_id = $1 order by revision',
);

beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => {
  bank.answers = [];
  clock.set('2026-01-31T12:00:00Z');
});

describe('simulateDebts', () => {
  test('stores nothing', async () => {
    const before = await services.db.one(rowsInAll());
    for (const given of [three, fifty(24)]) await debts.simulateDebts(given);
    await debts.drawDebts(three);
    await outcomeOf(debts.simulateDebts({ ...three, monthly_budget: 1 }));
    expect(await services.db.one(rowsInAll())).toEqual(before);
  });

  test('counts its months from today in London', async () => {
    const freeOn = async () => read(await debts.simulateDebts({ ...three, monthly_budget: 450_000 })).debt_free_date;
    expect(await freeOn()).toBe('2026-03-31');
    clock.set('2026-06-30T23:30:00Z');
    expect(await freeOn()).toBe('2026-09-01');
  });

  test('of many debts gives the same result in a thread as in the main thread', async () => {
    const request = fifty(30);
    const { payoff_schedule, ...figures } = read(await debts.simulateDebts(request));
    const here = simulateRepayment({
      debts: request.debts.map((debt) => ({ ...debt, balance: pence(debt.balance), minimum: pence(debt.minimum) })),
      monthlyBudget: pence(request.monthly_budget),
      strategy: 'avalanche',
    });
    expect(payoff_schedule).toEqual(here.schedule);
    expect(figures).toMatchObject({ total_months: 30, total_paid: here.total_paid, order: here.order });
  });

  test('of many debts refuses with the figures', async () => {
    const request = fifty(30);
    const required = request.debts.reduce((total, { minimum }) => total + minimum, 0);
    expect(await outcomeOf(debts.simulateDebts({ ...request, monthly_budget: required - 7 }))).toEqual({
      code: 'budget-below-minimums',
      extra: { required, shortfall: 7 },
    });
    const growing = request.debts.map((debt) => ({ ...debt, rate: 100_000 }));
    expect((await outcomeOf(debts.simulateDebts({ ...request, debts: growing }))).code).toBe('debt-never-repaid');
  });
});

describe('createDebtPlan', () => {
  test('stores the plan, returns its simulation, and is audited without names', async () => {
    const user_id = newOwner();
    const plan = await aPlan({ user_id, name: 'Free by summer', strategy: 'snowball' });
    expect(plan).toMatchObject({
      plan_id: expect.stringMatching(/^plan_/) as unknown,
      user_id,
      name: 'Free by summer',
      status: 'active',
      revision: 1,
      start_date: '2026-01-31',
      schedule_from: '2026-01-31',
      monthly_budget: 30_000,
      strategy: 'snowball',
      total_months: 21,
      total_interest_paid: 105_371,
      debt_free_date: '2027-10-31',
      created_at: '2026-01-31T12:00:00.000Z',
    });
    expect(plan.debts).toEqual([A, B, C].map((debt) => ({ ...debt, provider_id: null })));
    expect(await planOf(plan.plan_id)).toEqual(plan);
    expect(await services.db.many(audited(plan.plan_id))).toEqual([
      {
        kind: 'debt.plan-created',
        actor: 'key_test',
        data: {
          ...{ revision: 1, strategy: 'snowball', monthly_budget: 30_000 },
          ...{ debts: 3, balance: 510_000, total_months: 21 },
        },
      },
    ]);
  });

  test('accepts public providers and those of the caller and the owner, and no others', async () => {
    const owner = newOwner();
    const bankAccount = { name: 'Bank', category: 'CREDIT', sort_code: '401276', account_number: '12345678' } as const;
    const add = async (principal: typeof anyKey) =>
      (await payments.addProvider({ principal, ...bankAccount })).provider_id;
    const [ofKey, ofOwner, ofOther] = [await add(anyKey), await add(userOf(owner)), await add(userOf('usr_other'))];
    const with_ = (...ids: string[]) => ids.map((provider_id, index) => ({ ...A, name: `D${index}`, provider_id }));
    const plan = await aPlan({ user_id: owner, debts: with_('prov_sandbox_instant', ofKey, ofOwner) });
    expect(plan.debts.map(({ provider_id }) => provider_id)).toEqual(['prov_sandbox_instant', ofKey, ofOwner]);
    for (const id of [ofOther, 'prov_unknown']) {
      expect((await outcomeOf(aPlan({ user_id: owner, debts: with_(ofKey, id) }))).code).toBe('unknown-provider');
    }
    const { items } = await debts.listDebtPlans({ user_id: owner });
    expect(items).toHaveLength(1);
  });
});

describe('progress', () => {
  test('a plan is completed when nothing is owed, and active again when a payment comes back', async () => {
    const owner = newOwner();
    const owing = [{ ...C, provider_id: 'prov_sandbox_instant' }];
    const { plan_id } = await aPlan({ user_id: owner, debts: owing, monthly_budget: 10_000 });
    const payment = await payer.begin(owner, 'prov_sandbox_instant', 60_000);
    await payment.submit();
    expect((await planOf(plan_id)).status).toBe('active');
    await payment.settle();
    const listed = async () => (await debts.listDebtPlans({ user_id: owner })).items[0]!.status;
    expect(await progressOf(plan_id)).toMatchObject({ actual_balance: 0, projected_debt_free_date: '2026-01-31' });
    expect([await listed(), (await planOf(plan_id)).status]).toEqual(['completed', 'completed']);
    await payment.comeBack();
    expect([await listed(), (await planOf(plan_id)).status]).toEqual(['active', 'active']);
    expect(await record(plan_id, 'C', 60_000, '2026-01-31')).toMatchObject({ remaining: 0, status: 'completed' });
    expect(await listed()).toBe('completed');
  });

  test('of many debts, calculated in a thread, has the usual form', async () => {
    const { plan_id } = await aPlan(fifty(30));
    clock.set('2026-03-31T12:00:00Z');
    expect(await progressOf(plan_id)).toMatchObject({
      months_elapsed: 2,
      starting_balance: 1_500_000,
      expected_balance: 1_400_000,
      actual_balance: 1_500_000,
      ahead_by: -100_000,
      on_track: false,
      projected_debt_free_date: '2028-09-30',
    });
  });
});

describe('recordDebtPayment', () => {
  test('reduces the debt, and is audited by the debt’s position, without its name', async () => {
    const { plan_id } = await aPlan();
    clock.set('2026-02-10T12:00:00Z');
    const recorded = await record(plan_id, 'C', 25_000, '2026-02-01');
    expect(recorded).toMatchObject({ plan_id, debt: 'C', amount: 25_000, remaining: 35_000, status: 'active' });
    expect(recorded.payment_id).toMatch(/^dpay_/);
    expect(await progressOf(plan_id)).toMatchObject({ paid_to_date: 25_000, ahead_by: 25_000, on_track: true });
    expect((await services.db.many(audited(plan_id)))[1]).toMatchObject({
      kind: 'debt.payment-recorded',
      data: { payment_id: recorded.payment_id, debt: 3, amount: 25_000, paid_on: '2026-02-01', status: 'active' },
    });
  });

  test('counts all payments that are recorded at the same time', async () => {
    const { plan_id } = await aPlan();
    await Promise.all(Array.from({ length: 20 }, () => record(plan_id, 'A', 1_000, '2026-01-31')));
    expect(await progressOf(plan_id)).toMatchObject({ paid_to_date: 20_000 });
  });

  test('before the plan, in the future or to an unknown debt is refused, and stores nothing', async () => {
    const { plan_id } = await aPlan();
    for (const [debt, paidOn, code] of [
      ['A', '2026-01-30', 'invalid-request'],
      ['A', '2026-02-01', 'invalid-request'],
      ['a', '2026-01-31', 'unknown-debt'],
    ] as const)
      expect((await outcomeOf(record(plan_id, debt, 1, paidOn))).code).toBe(code);
    expect((await progressOf(plan_id)).paid_to_date).toBe(0);
    expect(await services.db.many(audited(plan_id))).toHaveLength(1);
  });

  test('beyond the maximum number of payments is refused', async () => {
    const { plan_id } = await aPlan();
    const fill = textQuery(
      'test.fillPayments',
      `insert into debt_payments (payment_id, plan_id, debt, amount, paid_on, created_at)
       select 'dpay_' || n || $1, $1, 'A', 1, '2026-01-31', now() from generate_series(1, $2::int) n`,
    );
    await services.db.run(fill(plan_id, MOST_PAYMENTS));
    expect(await outcomeOf(record(plan_id, 'A', 1, '2026-01-31'))).toMatchObject({
      code: 'debt-plan-full',
      extra: { limit: MOST_PAYMENTS },
    });
    expect((await progressOf(plan_id)).paid_to_date).toBe(MOST_PAYMENTS);
  });
});

describe('changeDebtPlan', () => {
  test('simulates again from today’s debts, keeps what the request omits, and keeps the old revisions', async () => {
    const { plan_id } = await aPlan({ name: 'Plan' });
    clock.set('2026-02-28T12:00:00Z');
    await record(plan_id, 'A', 100_000, '2026-02-28');
    const changed = await change(plan_id, { strategy: 'snowball', debts: [{ name: 'C', rate: 0 }] });
    expect(changed).toMatchObject({
      revision: 2,
      name: 'Plan',
      strategy: 'snowball',
      monthly_budget: 30_000,
      start_date: '2026-01-31',
      schedule_from: '2026-02-28',
      created_at: '2026-01-31T12:00:00.000Z',
      updated_at: '2026-02-28T12:00:00.000Z',
      debts: [
        { ...A, balance: 206_225 },
        { ...B, balance: 150_863 },
        { ...C, balance: 61_995, rate: 0 },
      ],
    });
    const left = changed.debts.map(({ provider_id: _provider, ...debt }) => debt);
    const fresh = await debts.simulateDebts({ debts: left, monthly_budget: 30_000, strategy: 'snowball' });
    expect(changed).toMatchObject(read(fresh));
    expect(await progressOf(plan_id)).toMatchObject({
      strategy: 'snowball',
      starting_balance: 510_000,
      expected_balance: 206_225 + 150_863 + 61_995,
      ahead_by: 0,
      on_track: true,
    });
    expect(await services.db.many(revisionsOf(plan_id))).toEqual([
      { revision: 1, strategy: 'avalanche', monthly_budget: 30_000, name: 'Plan' },
      { revision: 2, strategy: 'snowball', monthly_budget: 30_000, name: 'Plan' },
    ]);
    const { items } = await debts.listDebtPlans({ user_id: changed.user_id });
    expect(items).toMatchObject([{ plan_id, revision: 2, strategy: 'snowball', total_months: changed.total_months }]);
    const events = (await services.db.many(audited(plan_id))).map(({ kind }) => kind);
    expect(events).toEqual(['debt.plan-created', 'debt.payment-recorded', 'debt.plan-updated']);
  });

  test('loses no simultaneous change', async () => {
    const { plan_id } = await aPlan();
    await Promise.all([
      change(plan_id, { strategy: 'snowball' }),
      change(plan_id, { monthly_budget: 35_000 }),
      change(plan_id, { name: 'Renamed' }),
      change(plan_id, { debts: [{ name: 'A', rate: 1_000 }] }),
      change(plan_id, { debts: [{ name: 'B', minimum: 1 }] }),
    ]);
    expect(await planOf(plan_id)).toMatchObject({
      revision: 6,
      strategy: 'snowball',
      monthly_budget: 35_000,
      name: 'Renamed',
      debts: [{ rate: 1_000 }, { minimum: 1 }, C],
    });
  });

  test('of many at once makes as many as may wait, and refuses the others with 409', async () => {
    const { plan_id } = await aPlan();
    const budgets = Array.from({ length: 60 }, (_, index) => 31_000 + index);
    const outcomes = await Promise.all(budgets.map((monthly_budget) => outcomeOf(change(plan_id, { monthly_budget }))));
    const refused = outcomes.filter(({ code }) => code !== 'done');
    expect(refused).toHaveLength(9);
    for (const one of refused) expect(one).toMatchObject({ code: 'debt-plan-busy', extra: { retry_after: 2 } });
    expect(PROBLEMS['debt-plan-busy'].status).toBe(409);
    expect((await planOf(plan_id)).revision).toBe(52);
  });

  test('accepts one of several changes of the same revision', async () => {
    const { plan_id } = await aPlan();
    const outcomes = await Promise.all(
      [31_000, 32_000, 33_000, 34_000].map((monthly_budget) => outcomeOf(change(plan_id, { monthly_budget }, [1]))),
    );
    expect(outcomes.filter(({ code }) => code === 'done')).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === 'precondition-failed')).toHaveLength(3);
    expect(outcomes.find(({ code }) => code === 'precondition-failed')!.extra).toEqual({ revision: 2 });
    expect((await planOf(plan_id)).revision).toBe(2);
  });

  test('to a budget below the minimums, a rate that is never repaid or an unknown debt changes nothing', async () => {
    const plan = await aPlan();
    for (const [given, code] of [
      [{ monthly_budget: 16_499 }, 'budget-below-minimums'],
      [{ debts: [{ name: 'A', rate: 100_000 }] }, 'debt-never-repaid'],
      [{ debts: [{ name: 'D', rate: 1 }] }, 'unknown-debt'],
    ] as const)
      expect((await outcomeOf(change(plan.plan_id, given))).code).toBe(code);
    expect(await planOf(plan.plan_id)).toEqual(plan);
    expect(await services.db.many(audited(plan.plan_id))).toHaveLength(1);
  });

  test('sets the lender’s balance, even to zero and back', async () => {
    const { plan_id } = await aPlan({ debts: [A, C] });
    const cleared = ['A', 'C'].map((name) => ({ name, balance: 0 }));
    const free = { status: 'completed', total_months: 0, payoff_schedule: [], order: [], debt_free_date: '2026-01-31' };
    expect(await change(plan_id, { debts: cleared })).toMatchObject(free);
    expect(await progressOf(plan_id)).toMatchObject({ actual_balance: 0, on_track: true, ahead_by: 0 });
    expect(await debts.drawDebtPlan({ plan_id })).toContain('</svg>');
    const again = await change(plan_id, { debts: [{ name: 'C', balance: 1 }] });
    expect(again).toMatchObject({ status: 'active', total_months: 1, order: ['C'] });
  });

  test('renames a completed plan', async () => {
    const { plan_id } = await aPlan({ debts: [C] });
    await change(plan_id, { debts: [{ name: 'C', balance: 0 }] });
    expect(await change(plan_id, { name: 'Done' })).toMatchObject({
      name: 'Done',
      status: 'completed',
      total_months: 0,
    });
  });

  test('beyond the maximum number of revisions is refused', async () => {
    const { plan_id } = await aPlan();
    const fill = textQuery('test.fillRevisions', 'update debt_plans set revision = $2 where plan_id = $1');
    await services.db.run(fill(plan_id, MOST_REVISIONS));
    expect(await outcomeOf(change(plan_id, { name: 'x' }))).toMatchObject({ code: 'debt-plan-full' });
  });
});

describe('closeDebtPlan', () => {
  test('takes a plan from the list, once; its progress stays as on that day, and nothing changes the plan', async () => {
    const { plan_id, user_id } = await aPlan();
    const { plan_id: other } = await aPlan({ user_id });
    const close = () => debts.closeDebtPlan({ principal: userOf(user_id), plan_id });
    const before = await progressOf(plan_id);
    await Promise.all([close(), close()]);
    await close();
    clock.set('2026-06-30T12:00:00Z');
    expect((await debts.listDebtPlans({ user_id })).items).toMatchObject([{ plan_id: other }]);
    expect(await progressOf(plan_id)).toEqual(before);
    expect(await planOf(plan_id)).toMatchObject({ closed_at: '2026-01-31T12:00:00.000Z', revision: 1 });
    for (const work of [() => change(plan_id, { name: 'x' }), () => record(plan_id, 'A', 1, '2026-02-01')])
      expect(await outcomeOf(work())).toMatchObject({ code: 'plan-closed' });
    const data = { revision: 1, status: 'active' };
    const events = await services.db.many(audited(plan_id));
    expect(events.slice(1)).toEqual([{ kind: 'debt.plan-closed', actor: user_id, data }]);
  });

  test('of a plan that is being changed: a change that is answered came before, and the others are refused', async () => {
    const { plan_id } = await aPlan();
    const changes = Array.from({ length: 5 }, (_, index) => outcomeOf(change(plan_id, { name: `Name ${index}` })));
    const [, ...outcomes] = await Promise.all([debts.closeDebtPlan({ principal: anyKey, plan_id }), ...changes]);
    const done = outcomes.filter((outcome) => (outcome as { code?: string }).code !== 'plan-closed');
    expect((await planOf(plan_id)).revision).toBe(1 + done.length);
  });
});
