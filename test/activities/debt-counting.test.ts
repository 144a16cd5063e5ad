import { setTimeout as sleep } from 'node:timers/promises';
import type { LongJson } from '../../infra/threads/long-json.ts';
import { MOST_PLANS } from '../../domain/debt/plan.ts';
import { debtsOf, paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { textQuery } from '../helpers/text-query.ts';
import { anyKey, expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { payerOf } from '../helpers/payee-payments.ts';
import { outcomeOf } from '../helpers/refusal.ts';
import { watched } from '../helpers/watched-database.ts';

const bank = playedBank();
const clock = movableClock();
const services = withDatabase({ bank, clock });
const debts = debtsOf(services);
const payer = payerOf(services, bank);

const SLOW = 'prov_sandbox_slow';
const INSTANT = 'prov_sandbox_instant';
const cardAt = (provider_id: string, balance = 100_000) => ({
  ...{ name: 'Card', balance, rate: 0, minimum: 0, provider_id },
});

let owners = 0;
const newOwner = () => `debtor-${(owners += 1)}`;
const read = <View>(json: LongJson<View>) => JSON.parse(Buffer.from(json).toString()) as View;
type NewPlan = Parameters<typeof debts.createDebtPlan>[0];
const aPlan = async (user_id: string, given: Partial<NewPlan> = {}) => {
  const request = { principal: anyKey, user_id, debts: [cardAt(SLOW)], monthly_budget: 10_000, ...given };
  return read((await debts.createDebtPlan(request)).json).plan_id;
};
const change = (plan_id: string, balance: number) =>
  debts.changeDebtPlan({ plan_id, principal: anyKey, revisions: undefined, debts: [{ name: 'Card', balance }] });
const paidIn = async (...plans: string[]) =>
  Promise.all(plans.map(async (plan_id) => (await debts.readDebtProgress({ plan_id })).progress.paid_to_date));
const record = (plan_id: string, given: object = {}) =>
  debts.recordDebtPayment({ plan_id, principal: anyKey, debt: 'Card', amount: 5_000, paid_on: '2026-02-10', ...given });
const noon = (day: string) => clock.set(`${day}T12:00:00Z`);

beforeAll(() => paymentsOf(services).ensureSandboxPayees());
beforeEach(() => {
  bank.answers = [];
  noon('2026-02-01');
});
afterEach(() => expectSoundLedger(services));

describe('a completed payment', () => {
  const PROVIDERS: Record<string, string> = { slow: SLOW, instant: INSTANT };
  const debtsOfPlan = (told: string) =>
    told.split(' + ').map((debt, place) => {
      const [provider, balance] = debt.split(' ') as [string, string];
      return { ...cardAt(PROVIDERS[provider]!, Number(balance)), name: `Debt ${place}` };
    });

  // A plan has debts (provider and balance), joined by `+`. A payment has a day, a provider and an amount.
  test.each([
    ['in the newest of two plans that name its provider', 'slow 9000, slow 9000', '10 slow 5000', [0, 5_000]],
    ['in an older plan if newer ones name other providers', 'slow 9000, instant 9000', '01 slow 5000', [5_000, 0]],
    ['in debts of one plan that share its provider', 'slow 9000, slow 3000 + slow 9000', '01 slow 5000', [0, 5_000]],
    [
      'in an older plan once newer ones are repaid',
      'slow 9000, slow 6000',
      '01 slow 6000, 10 slow 5000',
      [5_000, 6_000],
    ],
    ['in no other plan if it overpays the newer one', 'slow 9000, slow 6000', '01 slow 50000', [0, 6_000]],
    [
      'once in a chain of plans of which each two share a provider',
      'slow 9000, slow 3000 + instant 3000, instant 2000',
      '01 instant 2000, 01 instant 3000, 01 slow 3000, 01 slow 1000',
      [1_000, 6_000, 2_000],
    ],
  ])('counts %s', async (_where, plans, payments, counts) => {
    const owner = newOwner();
    const made = [];
    for (const told of plans.split(', ')) made.push(await aPlan(owner, { debts: debtsOfPlan(told) }));
    for (const payment of payments.split(', ')) {
      const [day, provider, amount] = payment.split(' ') as [string, string, string];
      noon(`2026-02-${day}`);
      await payer.complete(owner, PROVIDERS[provider]!, Number(amount));
    }
    expect(await paidIn(...made)).toEqual(counts);
  });

  test('stays in its plan when another plan is made later, even one with an earlier start', async () => {
    const owner = newOwner();
    const plan = await aPlan(owner);
    noon('2026-02-10');
    await payer.complete(owner, SLOW, 5_000);
    noon('2026-02-12');
    const later = await aPlan(owner, { start_date: '2026-02-01' });
    expect(await paidIn(plan, later)).toEqual([5_000, 0]);
  });

  test('that was initiated before a plan starts counts in the previous plan', async () => {
    const owner = newOwner();
    const older = await aPlan(owner);
    const underWay = await payer.begin(owner, SLOW, 5_000);
    await underWay.submit();
    noon('2026-02-10');
    const newer = await aPlan(owner);
    await underWay.settle();
    expect(await paidIn(older, newer)).toEqual([5_000, 0]);
  });

  test('that was returned counts nowhere, and later payments stay in their plans', async () => {
    const owner = newOwner();
    const older = await aPlan(owner);
    const newer = await aPlan(owner, { debts: [cardAt(SLOW, 6_000)] });
    const first = await payer.complete(owner, SLOW, 6_000);
    noon('2026-02-10');
    await payer.complete(owner, SLOW, 5_000);
    noon('2026-02-11');
    await first.comeBack();
    expect(await paidIn(older, newer)).toEqual([5_000, 0]);
    noon('2026-02-12');
    await payer.complete(owner, SLOW, 1_000);
    expect(await paidIn(older, newer)).toEqual([5_000, 1_000]);
  });

  test('stays in its plan when an earlier payment is recorded later', async () => {
    const owner = newOwner();
    const older = await aPlan(owner);
    const newer = await aPlan(owner, { debts: [cardAt(SLOW, 6_000)] });
    noon('2026-02-10');
    await payer.complete(owner, SLOW, 5_000);
    noon('2026-02-20');
    await record(newer, { amount: 6_000, paid_on: '2026-02-01' });
    expect(await paidIn(older, newer)).toEqual([0, 6_000]);
    await payer.complete(owner, SLOW, 400);
    expect(await paidIn(older, newer)).toEqual([400, 6_000]);
  });

  test('follows a change that ends the newer plan, and a change that reopens it', async () => {
    const owner = newOwner();
    const [older, newer] = [await aPlan(owner), await aPlan(owner)];
    for (const [day, balance, amount] of [
      ['2026-02-02', undefined, 1_000],
      ['2026-02-04', 0, 2_000],
      ['2026-02-06', 10_000, 3_000],
    ] as const) {
      noon(day);
      if (balance !== undefined) await change(newer, balance);
      clock.set(`${day}T13:00:00Z`);
      await payer.complete(owner, SLOW, amount);
    }
    expect(await paidIn(older, newer)).toEqual([2_000, 4_000]);
  });

  test('counts in a closed plan only if it completed before, and afterwards in the previous plan', async () => {
    const owner = newOwner();
    const [older, newer] = [await aPlan(owner), await aPlan(owner)];
    noon('2026-02-10');
    await payer.complete(owner, SLOW, 3_000);
    await debts.closeDebtPlan({ principal: anyKey, plan_id: newer });
    noon('2026-02-11');
    await payer.complete(owner, SLOW, 2_000);
    expect(await paidIn(older, newer)).toEqual([2_000, 3_000]);
  });

  test('of another owner counts in no plan of the owner, nor in a plan without its provider', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const nameless = { name: 'Card', balance: 1, rate: 0, minimum: 0 };
    const plans = [await aPlan(owner), await aPlan(other, { debts: [nameless] })];
    await payer.complete(other, SLOW, 5_000);
    expect(await paidIn(...plans)).toEqual([0, 0]);
  });
});

describe('manually recording a payment of the service', () => {
  // The provider of the first debt received 5,000 pence late in the evening of 10 February.
  const paidPlan = async () => {
    const owner = newOwner();
    const plan_id = await aPlan(owner, { debts: [cardAt(SLOW), { ...cardAt(INSTANT), name: 'Loan' }] });
    clock.set('2026-02-10T23:30:00Z');
    const { payment_id } = await payer.complete(owner, SLOW, 5_000);
    noon('2026-02-20');
    return { owner, plan_id, payment_id };
  };

  test('from three days before until three days after is refused, naming the payment', async () => {
    const { plan_id, payment_id } = await paidPlan();
    const refused = { code: 'already-counted', extra: { payment_id } };
    for (const paid_on of ['2026-02-07', '2026-02-10', '2026-02-13'])
      expect(await outcomeOf(record(plan_id, { paid_on, separate: false }))).toEqual(refused);
    expect(await paidIn(plan_id)).toEqual([5_000]);
  });

  test.each([
    ['four days before', { paid_on: '2026-02-06' }],
    ['four days after', { paid_on: '2026-02-14' }],
    ['another amount', { amount: 4_999 }],
    ['to a debt with another provider', { debt: 'Loan' }],
    ['said to be separate', { separate: true }],
  ])('is possible for a different payment: %s', async (_name, given) => {
    const { plan_id } = await paidPlan();
    expect(await outcomeOf(record(plan_id, given))).toMatchObject({ code: 'done' });
  });

  test('is refused in an older plan too, in which the payment does not count', async () => {
    const owner = newOwner();
    const [older] = [await aPlan(owner), await aPlan(owner)];
    noon('2026-02-10');
    const { payment_id } = await payer.complete(owner, SLOW, 5_000);
    expect(await outcomeOf(record(older))).toEqual({ code: 'already-counted', extra: { payment_id } });
    expect(await paidIn(older)).toEqual([0]);
  });

  test('uses London’s date: 23:30 UTC in summer is the next day', async () => {
    noon('2026-07-01');
    const owner = newOwner();
    const plan_id = await aPlan(owner);
    clock.set('2026-07-06T23:30:00Z');
    await payer.complete(owner, SLOW, 5_000);
    noon('2026-07-20');
    expect(await outcomeOf(record(plan_id, { paid_on: '2026-07-10' }))).toMatchObject({ code: 'already-counted' });
    expect(await outcomeOf(record(plan_id, { paid_on: '2026-07-03' }))).toMatchObject({ code: 'done' });
  });

  test('is possible after the payment was returned, and while it is in flight', async () => {
    const owner = newOwner();
    const plan_id = await aPlan(owner);
    noon('2026-02-10');
    const payment = await payer.begin(owner, SLOW, 5_000);
    await payment.submit();
    expect(await outcomeOf(record(plan_id))).toMatchObject({ code: 'done' });
    await payment.settle();
    expect(await outcomeOf(record(plan_id))).toMatchObject({ code: 'already-counted' });
    await payment.comeBack();
    expect(await outcomeOf(record(plan_id))).toMatchObject({ code: 'done' });
  });

  test('waits for a payment that is just completing, and is then refused', async () => {
    const owner = newOwner();
    const plan_id = await aPlan(owner);
    noon('2026-02-10');
    let beforeCommit = () => Promise.resolve();
    const payment = await payerOf(watched(services, { commit: () => beforeCommit() }), bank).begin(owner, SLOW, 5_000);
    await payment.submit();
    const isSettled = Promise.withResolvers<undefined>();
    beforeCommit = async () => {
      isSettled.resolve(undefined);
      await sleep(300);
    };
    const completing = payment.settle();
    await isSettled.promise;
    expect(await outcomeOf(record(plan_id))).toMatchObject({ code: 'already-counted' });
    await completing;
    expect(await paidIn(plan_id)).toEqual([5_000]);
  });

  test('succeeds beside twenty completing payments, and each counts once', async () => {
    const owner = newOwner();
    const plan_id = await aPlan(owner, { debts: [cardAt(SLOW, 1_000_000)] });
    noon('2026-02-10');
    const begun = [];
    for (let place = 0; place < 20; place += 1) begun.push(await payer.begin(owner, SLOW, 5_000));
    for (const payment of begun) await payment.submit();
    const work = begun.flatMap((payment) => [payment.settle(), outcomeOf(record(plan_id))]);
    const codes = (await Promise.all(work)).flatMap((done) => (done ? [done.code] : []));
    expect(codes).toHaveLength(20);
    const recorded = codes.filter((code) => code === 'done').length;
    expect(codes.filter((code) => code === 'already-counted')).toHaveLength(20 - recorded);
    expect(await paidIn(plan_id)).toEqual([(20 + recorded) * 5_000]);
    expect(await outcomeOf(record(plan_id))).toMatchObject({ code: 'already-counted' });
  });
});

describe('an owner with as many plans as an owner can have', () => {
  const owner = 'planner';
  const plans: string[] = [];
  /** Copies of the first plan, each with 100 payments that were recorded. */
  const copyPlans = textQuery(
    'test.copyPlans',
    `with made as (
       insert into debt_plans (plan_id, owner_id, start_date, status, revision, created_at)
       select p.plan_id || '-' || n, p.owner_id, p.start_date, p.status, p.revision, p.created_at
         from debt_plans p cross join generate_series(2, $2::int) n where p.plan_id = $1 order by n
       returning plan_id),
     revised as (
       insert into debt_plan_revisions (plan_id, revision, name, strategy, monthly_budget, debts, starts_on, total_months,
                                        total_interest, debt_free_date, made_on, created_at)
       select m.plan_id, r.revision, r.name, r.strategy, r.monthly_budget, r.debts, r.starts_on, r.total_months,
              r.total_interest, r.debt_free_date, r.made_on, r.created_at
         from made m cross join debt_plan_revisions r where r.plan_id = $1),
     recorded as (
       insert into debt_payments (payment_id, plan_id, debt, amount, paid_on, created_at)
       select m.plan_id || '/' || n, m.plan_id, 'Card', 1, '2026-02-01', '2026-02-01T12:00:00Z'
         from made m cross join generate_series(1, 100) n)
     select plan_id from made`,
  );
  beforeAll(async () => {
    noon('2026-02-01');
    const first = await aPlan(owner, { debts: [cardAt(SLOW, 100)] });
    const copies = await services.db.many(copyPlans(first, MOST_PLANS));
    plans.push(first, ...copies.map(({ plan_id }) => String(plan_id)));
  });

  test('gets no further plan, even of several requests at once', async () => {
    const refused = { code: 'too-many-debt-plans', extra: { limit: MOST_PLANS } };
    expect(await Promise.all([outcomeOf(aPlan(owner)), outcomeOf(aPlan(owner))])).toEqual([refused, refused]);
    const page = await debts.listDebtPlans({ user_id: owner, limit: 100 });
    expect(page.items).toHaveLength(100);
  });

  test('gets another plan after one is closed', async () => {
    await debts.closeDebtPlan({ principal: anyKey, plan_id: plans.at(-1)! });
    plans.splice(-1, 1, await aPlan(owner));
    expect(await outcomeOf(aPlan(owner))).toMatchObject({ code: 'too-many-debt-plans' });
  });

  test('gets its oldest plan, a list and a recorded payment with few queries', async () => {
    noon('2026-02-10');
    for (let paid = 0; paid < 3; paid += 1) await payer.complete(owner, SLOW, 1_000);
    let queries = 0;
    const counting = debtsOf(watched(services, { query: () => void (queries += 1) }));
    const asked = async (work: () => Promise<unknown>) => {
      queries = 0;
      await work();
      return queries;
    };
    const most = 50;
    expect(await asked(() => counting.readDebtProgress({ plan_id: plans[0]! }))).toBeLessThan(most);
    expect(await asked(() => counting.listDebtPlans({ user_id: owner, limit: 100 }))).toBeLessThan(most);
    noon('2026-03-10');
    const payment = { plan_id: plans[0]!, principal: anyKey, debt: 'Card', amount: 1, paid_on: '2026-02-20' };
    expect(await asked(() => counting.recordDebtPayment(payment))).toBeLessThan(most);
  });
});
