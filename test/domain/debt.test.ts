import fc from 'fast-check';
import { addDays, addMonths } from '../../domain/dates.ts';
import {
  monthlyInterest,
  monthsToRepay,
  MOST_MONTHS,
  remainingAfter,
  simulateRepayment,
  STRATEGIES,
  type Debt,
  type Instalment,
  type Repayment,
  type Strategy,
} from '../../domain/debt/simulation.ts';
import { planProgress } from '../../domain/debt/progress.ts';
import { revisedPlan } from '../../domain/debt/revision.ts';
import { standingOn, type Paid, type PlanHistory, type Revision } from '../../domain/debt/standing.ts';
import { nameFaults, requirePaidOn, requireBelow, requireStartDate } from '../../domain/debt/plan.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence, sum } from '../../domain/money.ts';
import { refusalOf } from '../helpers/refusal.ts';

const debt = (name: string, balance: number, rate: number, minimum: number): Debt => ({
  name,
  balance: pence(balance),
  rate,
  minimum: pence(minimum),
});
const repayment = (debts: readonly Debt[], budget: number, strategy: Strategy = 'avalanche'): Repayment => ({
  debts,
  monthlyBudget: pence(budget),
  strategy,
});
const LOAN = debt('Loan', 1_000_000, 2_000, 25_000);
const A = debt('A', 300_000, 2_490, 9_000);
const B = debt('B', 150_000, 690, 5_000);
const C = debt('C', 60_000, 3_990, 2_500);

// A budget slightly above the minimums usually repays these debts.
const anyDebt = fc.record({
  balance: fc.integer({ min: 1, max: 2_000_000 }).map(pence),
  rate: fc.integer({ min: 0, max: 6_000 }),
  minimum: fc.integer({ min: 0, max: 40_000 }).map(pence),
});
const anyRepayment = fc
  .record({
    debts: fc.array(anyDebt, { minLength: 1, maxLength: 6 }),
    more: fc.integer({ min: 0, max: 200_000 }),
    strategy: fc.constantFrom(...STRATEGIES),
  })
  .map(({ debts, more, strategy }) => {
    const named = debts.map((one, index) => ({ ...one, name: `Debt ${index}` }));
    return repayment(named, sum(named.map(({ minimum }) => minimum)) + more + 1, strategy);
  });

describe('the worked examples', () => {
  test('one loan: 25 months, 2,266.06 of interest, 4,350.67 less than with minimum payments', () => {
    const simulation = simulateRepayment(repayment([LOAN], 50_000));
    expect(simulation).toMatchObject({
      ...{ total_months: 25, total_interest_paid: 226_606, total_paid: 1_226_606, savings_vs_minimum: 435_067 },
      order: ['Loan'],
    });
    expect(simulation.schedule[0]).toEqual({ month: 1, debt: 'Loan', payment: 50_000, remaining: 966_667 });
    expect(simulation.schedule).toHaveLength(25);
  });

  test('the same loan by its minimum alone: 67 months, 6,616.73 of interest', () => {
    const slow = { total_months: 67, total_interest_paid: 661_673, savings_vs_minimum: 0 };
    expect(simulateRepayment(repayment([LOAN], 25_000))).toMatchObject(slow);
  });

  test.each([
    { strategy: 'avalanche', months: 20, interest: 87_083, paid: 597_083, order: ['C', 'A', 'B'] },
    { strategy: 'snowball', months: 21, interest: 105_371, paid: 615_371, order: ['C', 'B', 'A'] },
  ] as const)('three debts by $strategy: $months months, $interest of interest', ({ strategy, ...expected }) => {
    const simulation = simulateRepayment(repayment([A, B, C], 30_000, strategy));
    expect(simulation).toMatchObject({
      strategy,
      total_months: expected.months,
      total_interest_paid: expected.interest,
      total_paid: expected.paid,
      savings_vs_minimum: 292_988 - expected.interest,
      order: expected.order,
    });
    expect(simulation.schedule.slice(0, 3)).toEqual([
      { month: 1, debt: 'A', payment: 9_000, remaining: 297_225 },
      { month: 1, debt: 'B', payment: 5_000, remaining: 145_863 },
      { month: 1, debt: 'C', payment: 16_000, remaining: 45_995 },
    ]);
  });

  test('a payment equal to the interest never repays', () => {
    const refusal = refusalOf(() => simulateRepayment(repayment([debt('Loan', 1_000_000, 3_600, 30_000)], 30_000)));
    expect(refusal).toMatchObject({ code: 'debt-never-repaid', extra: { months: 1_200 } });
  });
});

describe('a month', () => {
  test.each([
    [1_000_000, 2_000, 16_667],
    [60, 1_000, 1],
    [59, 1_000, 0],
    [6, 10_000, 1],
    [5, 10_000, 0],
    [1, 100_000, 1],
    [0, 100_000, 0],
    [100_000_000_000, 0, 0],
  ])('of %i pence at %i basis points costs %i', (balance, rate, interest) => {
    expect(monthlyInterest(pence(balance), rate)).toBe(interest);
  });

  test('costs balance x rate / 120000, half up, to the penny, however large', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 300_000_000_000_000 })),
        fc.integer({ min: 0, max: 100_000 }),
        (balance, rate) => {
          expect(monthlyInterest(pence(balance), rate)).toBe(Number(exactInterest(BigInt(balance), BigInt(rate))));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a simulation', () => {
  test('equals the rules calculated with integers of any size', () => {
    fc.assert(
      fc.property(anyRepayment, (given) => {
        const reference = byTheRules(given);
        const simulation = attempt(given);
        if (simulation === 'debt-never-repaid') {
          expect(reference).toBeNull();
          return;
        }
        const { schedule, order, total_months, total_paid, total_interest_paid, savings_vs_minimum } = simulation;
        expect(schedule.map(({ month, debt: name, payment, remaining }) => [month, name, payment, remaining])).toEqual(
          reference?.schedule,
        );
        expect(total_interest_paid).toBe(reference?.interest);
        expect(total_paid).toBe(sum(given.debts.map(({ balance }) => balance)) + total_interest_paid);
        expect(sum(schedule.map(({ payment }) => payment))).toBe(total_paid);
        expect(savings_vs_minimum ?? 0).toBeGreaterThanOrEqual(0);
        expect(order.toSorted()).toEqual(given.debts.map(({ name }) => name).toSorted());
        const clearedIn = order.map((name) => schedule.filter((entry) => entry.debt === name).length);
        expect(clearedIn).toEqual(clearedIn.toSorted((a, b) => a - b));
        expect(clearedIn.at(-1)).toBe(total_months);
      }),
    );
  });

  test('gives the balance after any month without the whole schedule', () => {
    fc.assert(
      fc.property(anyRepayment, (given) => {
        const simulation = attempt(given);
        if (simulation === 'debt-never-repaid') return;
        const { schedule, total_months } = simulation;
        expect(monthsToRepay(given)).toBe(total_months);
        for (const month of [0, 1, Math.ceil(total_months / 2), total_months, total_months + 1]) {
          const after = new Map(schedule.filter((entry) => entry.month === month).map((e) => [e.debt, e.remaining]));
          const expected = given.debts.map(({ name, balance }) => (month === 0 ? balance : (after.get(name) ?? 0)));
          expect(remainingAfter(given, month)).toEqual(expected);
        }
      }),
    );
  });

  test('orders debts every month: of two debts at one rate, the smaller one is next', () => {
    // Both debts are at 0 %, so the avalanche orders them by balance. After its first minimum payment, X is smaller.
    const [x, y] = [debt('X', 100, 0, 30), debt('Y', 90, 0, 0)];
    const { schedule } = simulateRepayment(repayment([x, y], 31));
    const expected =
      '1 X 30 70, 1 Y 1 89, 2 X 31 39, 2 Y 0 89, 3 X 31 8, 3 Y 0 89, 4 X 8 0, 4 Y 23 66, 5 Y 31 35, 6 Y 31 4, 7 Y 4 0';
    expect(rows(schedule).join(', ')).toBe(expected);
  });

  test('orders debts after interest', () => {
    // X has the smaller balance before interest, and Y after interest.
    const [x, y] = [debt('X', 1_000, 60_000, 0), debt('Y', 1_400, 0, 0)];
    const { schedule } = simulateRepayment(repayment([x, y], 1_500, 'snowball'));
    expect(rows(schedule).slice(0, 2)).toEqual(['1 X 100 1400', '1 Y 1400 0']);
  });

  test.each<[Strategy, string, string]>([
    ['avalanche', '10@500 10@900', '2 1'],
    ['avalanche', '20@500 10@500', '2 1'],
    ['avalanche', '10@500 10@500', '1 2'],
    ['snowball', '20@900 10@500', '2 1'],
    ['snowball', '10@500 10@900', '2 1'],
    ['snowball', '10@500 10@500', '1 2'],
  ])('by %s orders debts of %s (balance@rate) as %s', (strategy, given, expected) => {
    const debts = given.split(' ').map((one, index) => {
      const [balance, rate] = one.split('@').map(Number);
      return debt(String(index + 1), balance!, rate!, 0);
    });
    const orderWith = (budget: number) => simulateRepayment(repayment(debts, budget, strategy)).order.join(' ');
    expect(orderWith(1)).toBe(expected);
    // This budget repays all debts in one month.
    expect(orderWith(100_000)).toBe(expected);
  });

  test('states no savings if the minimums alone take more than 1,200 months', () => {
    const savings = (balance: number, rate: number, minimum: number, budget: number) =>
      simulateRepayment(repayment([debt('X', balance, rate, minimum)], budget)).savings_vs_minimum;
    expect(savings(100_000, 1_200, 1_000, 5_000)).toBeNull();
    // A minimum just above the monthly interest repays the debt within 1,200 months.
    expect(savings(1_000_000_000, 12, 1_000_001, 5_000_000)).toBeGreaterThan(0);
    expect([savings(1_201, 0, 1, 100), savings(1_200, 0, 1, 100), savings(1_200, 0, 0, 100)]).toEqual([null, 0, null]);
  });

  test('allows at most 1,200 months', () => {
    const { total_months, schedule } = simulateRepayment(repayment([debt('X', 1_200, 0, 1)], 1));
    expect([total_months, schedule.length]).toEqual([MOST_MONTHS, 1_200]);
    expect(refusalOf(() => simulateRepayment(repayment([debt('X', 1_201, 0, 1)], 1))).code).toBe('debt-never-repaid');
  });

  test('of the largest figures is exact, and unlimited growth is detected at once', () => {
    const largest = (rate: number) =>
      Array.from({ length: 50 }, (_, index) => debt(`Debt ${index}`, 100_000_000_000, rate, 0));
    const simulation = simulateRepayment(repayment(largest(100), 100_000_000_000));
    const { total_paid, total_interest_paid, total_months } = simulation;
    expect(total_paid).toBe(5_000_000_000_000 + total_interest_paid);
    // The annuity formula gives -ln(1 - 50 x 0.01 / 12) / ln(1 + 0.01 / 12) = 51.1 months.
    expect(total_months).toBe(52);
    // Other load on the machine does not affect processor time.
    const before = process.cpuUsage();
    for (const strategy of STRATEGIES) {
      const refusal = refusalOf(() => simulateRepayment(repayment(largest(100_000), 100_000_000_000, strategy)));
      expect(refusal.code).toBe('debt-never-repaid');
    }
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  test.each([
    { minimums: [25_000], budget: 24_999, required: 25_000, shortfall: 1 },
    { minimums: [9_000, 5_000, 2_500], budget: 1, required: 16_500, shortfall: 16_499 },
    // A minimum counts in full, even if it exceeds its debt.
    { minimums: [2_000_000, 1], budget: 1_500_000, required: 2_000_001, shortfall: 500_001 },
  ])('a budget of $budget below minimums of $minimums is refused', ({ minimums, budget, required, shortfall }) => {
    const debts = minimums.map((minimum, index) => debt(`Debt ${index}`, 1_000_000, 0, minimum));
    const refusal = refusalOf(() => simulateRepayment(repayment(debts, budget)));
    expect(refusal).toMatchObject({ code: 'budget-below-minimums', extra: { required, shortfall } });
    expect(simulateRepayment(repayment(debts, required)).total_months).toBeGreaterThan(0);
  });

  test('without debts takes no months', () => {
    const nothing = { total_months: 0, total_paid: 0, schedule: [], order: [], savings_vs_minimum: 0 };
    expect(simulateRepayment(repayment([debt('X', 0, 100, 10)], 5))).toMatchObject(nothing);
  });
});

const START = '2026-01-31';
const planDebt = (given: Debt, providerId: string | null = null) => ({
  ...given,
  accrued: pence(0),
  providerId,
  isGiven: true,
});
const firstRevision = (changes: Partial<Revision> = {}): Revision => ({
  ...repayment([A, B, C], 30_000),
  debts: [A, B, C].map((one) => planDebt(one, `prov_${one.name}`)),
  startsOn: START,
  madeOn: START,
  at: `${START}T12:00:00.000Z`,
  ...changes,
});
const historyOf = (payments: readonly Paid[] = [], first = firstRevision(), ...later: Revision[]): PlanHistory => ({
  revisions: [first, ...later],
  payments,
});
const paid = (on: string, name: string, amount: number, time = '15:00'): Paid => ({
  on,
  at: `${on}T${time}:00.000Z`,
  amount: pence(amount),
  to: { debt: name },
});
const toProvider = (on: string, providerId: string, amount: number): Paid => ({
  ...paid(on, '', amount),
  to: { providerId },
});
const asPlanned = (revision: Revision, months: number): Paid[] =>
  simulateRepayment(revision)
    .schedule.filter(({ month }) => month <= months)
    .map(({ month, debt: name, payment }) => paid(addMonths(revision.startsOn, month), name, payment));

const owedOfA = (payments: readonly Paid[], day: string) => standingOn(historyOf(payments), day).debts[0]!.balance;

describe('progress', () => {
  test('at the start, no month is over and nothing is paid', () => {
    expect(planProgress(historyOf(), START)).toEqual({
      ...{ strategy: 'avalanche', as_of: START, months_elapsed: 0, paid_to_date: 0, ahead_by: 0, on_track: true },
      ...{ starting_balance: 510_000, expected_balance: 510_000, actual_balance: 510_000 },
      projected_debt_free_date: '2027-09-30',
      debts: [A, B, C].map(({ name, balance }) => ({
        ...{
          name,
          starting_balance: balance,
          expected_balance: balance,
          actual_balance: balance,
          percent_repaid: '0.00',
        },
      })),
    });
  });

  test('of an exactly followed plan is on track to the penny on each due date, and ends on time', () => {
    const first = firstRevision();
    const all = asPlanned(first, MOST_MONTHS);
    for (let month = 1; month <= 20; month += 1) {
      const progress = planProgress(historyOf(all), addMonths(START, month));
      const onTrack = { ahead_by: 0, on_track: true, projected_debt_free_date: '2027-09-30' };
      expect(progress).toMatchObject({ months_elapsed: month, ...onTrack });
      for (const { expected_balance, actual_balance } of progress.debts) expect(actual_balance).toBe(expected_balance);
    }
    expect(planProgress(historyOf(all), '2027-09-30')).toMatchObject({ actual_balance: 0, paid_to_date: 597_083 });
    const after = { actual_balance: 0, projected_debt_free_date: '2027-09-30' };
    expect(planProgress(historyOf(all), '2030-01-01')).toMatchObject(after);
  });

  test('without payments falls behind: interest is added after each whole month', () => {
    // One month after 31 January is 28 February, and two months after it is 31 March.
    const days = ['2026-02-27', '2026-02-28', '2026-03-30', '2026-03-31'];
    expect(days.map((day) => owedOfA([], day))).toEqual([300_000, 306_225, 306_225, 312_579]);
    const progress = planProgress(historyOf(), '2026-02-28');
    expect(progress).toMatchObject({
      ...{ months_elapsed: 1, ahead_by: -30_000, on_track: false },
      ...{ expected_balance: 297_225 + 145_863 + 45_995, actual_balance: 306_225 + 150_863 + 61_995 },
    });
    expect(progress.projected_debt_free_date! > '2027-09-30').toBe(true);
    expect(progress.debts[0]).toMatchObject({ percent_repaid: '0.00', actual_balance: 306_225 });
  });

  test('subtracts payments on their day, after that day’s interest', () => {
    const payments = [paid('2026-02-27', 'A', 100_000), paid('2026-02-28', 'A', 1)];
    // The last balance grows by a month's interest on 200,000 at 24.90 %, which is 4,150, and falls by 1.
    const balances = ['2026-02-26', '2026-02-27', '2026-02-28'].map((day) => owedOfA(payments, day));
    expect(balances).toEqual([300_000, 200_000, 204_149]);
  });

  test('counts payments to a provider towards its debts in the strategy’s order, each up to its balance', () => {
    const debts = [A, B, C].map((one) => planDebt(one, one.name === 'B' ? null : 'prov_bank'));
    const shared = firstRevision({ debts });
    const after = (amount: number, provider = 'prov_bank', strategy: Strategy = 'avalanche') =>
      standingOn(historyOf([toProvider(START, provider, amount)], { ...shared, strategy }), START).debts.map(
        ({ balance }) => balance,
      );
    // Debt C has a higher rate than debt A, so payments to their provider count towards C first.
    expect(after(50_000)).toEqual([300_000, 150_000, 10_000]);
    for (const strategy of STRATEGIES) expect(after(70_000, 'prov_bank', strategy)).toEqual([290_000, 150_000, 0]);
    expect(sum(after(70_000, 'prov_other'))).toBe(510_000);
  });

  test('stops at zero, and counts no more than the debt', () => {
    const progress = planProgress(historyOf([paid(START, 'C', 60_001), paid(START, 'C', 5)]), START);
    expect(progress).toMatchObject({ actual_balance: 450_000, paid_to_date: 60_000, ahead_by: 60_000, on_track: true });
    expect(progress.debts[2]).toMatchObject({ actual_balance: 0, percent_repaid: '100.00' });
  });

  test('adds no interest to cleared debts', () => {
    const history = historyOf([paid(START, 'C', 60_000)]);
    expect(standingOn(history, '2030-01-31').debts[2]!.balance).toBe(0);
  });

  test.each([
    [0, '0.00'],
    [14, '0.00'],
    [15, '0.01'],
    [100_000, '33.33'],
    [200_000, '66.67'],
    [299_984, '99.99'],
    [299_985, '100.00'],
  ])('of a debt of 300,000 with %i paid is %s %%', (amount, expected) => {
    const payments = amount === 0 ? [] : [paid(START, 'A', amount)];
    expect(planProgress(historyOf(payments), START).debts[0]!.percent_repaid).toBe(expected);
  });

  test('of a plan with a later start: nothing is expected before', () => {
    const later = firstRevision({ startsOn: '2026-06-15' });
    const progress = planProgress(historyOf([], later), '2026-02-01');
    expect(progress).toMatchObject({ months_elapsed: 0, ahead_by: 0, projected_debt_free_date: '2028-02-15' });
  });

  test('of debts that grow beyond the budget has no end date', () => {
    const heavy = firstRevision({ debts: [planDebt(debt('Loan', 100_000, 90_000, 0))], monthlyBudget: pence(80_000) });
    expect(planProgress(historyOf([], heavy), START).projected_debt_free_date).toBe('2026-06-30');
    expect(planProgress(historyOf([], heavy), '2026-04-01').projected_debt_free_date).toBeNull();
  });

  test('of a debt unpaid for a century is still exact', () => {
    const debts = [planDebt(debt('Debt', 100_000_000_000, 10_000, 0))];
    const heavy = firstRevision({ debts, monthlyBudget: pence(100_000_000_000) });
    expect(planProgress(historyOf([], heavy), '2126-01-31').actual_balance).toBe(10_000_000_000_000);
  });

  test('balances, payments and interest always add up', () => {
    const days = fc.integer({ min: 0, max: 900 }).map((day) => addDays(START, day));
    const payment = fc.tuple(days, fc.constantFrom('A', 'B', 'C'), fc.integer({ min: 1, max: 90_000 }));
    const payments = fc.array(
      payment.map((given) => paid(...given)),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(payments, days, (made, asOf) => {
        const standing = standingOn(historyOf(made), asOf);
        const withoutInterest = firstRevision({ debts: [A, B, C].map((one) => planDebt({ ...one, rate: 0 })) });
        const free = standingOn(historyOf(made, withoutInterest), asOf);
        for (const [index, one] of standing.debts.entries()) {
          expect(one.balance).toBeGreaterThanOrEqual(0);
          expect(free.debts[index]!.balance).toBe(free.debts[index]!.starting - free.debts[index]!.paid);
          expect(one.balance).toBeGreaterThanOrEqual(free.debts[index]!.balance);
          expect(one.paid).toBeGreaterThanOrEqual(free.debts[index]!.paid);
        }
        const { ahead_by, expected_balance, actual_balance, paid_to_date } = planProgress(historyOf(made), asOf);
        expect(ahead_by).toBe(expected_balance - actual_balance);
        expect(paid_to_date).toBe(sum(standing.debts.map((one) => one.paid)));
      }),
    );
  });
});

describe('a change of a plan', () => {
  const onDay = (today: string) => ({ today, at: `${today}T12:00:00.000Z` });

  test('continues from that day’s balances, and keeps what it omits', () => {
    const history = historyOf([paid('2026-02-10', 'A', 50_000)]);
    const revision = revisedPlan(history, { strategy: 'snowball' }, onDay('2026-02-28'));
    expect(revision).toMatchObject({ strategy: 'snowball', monthlyBudget: 30_000, startsOn: '2026-02-28' });
    expect(revision.debts.map(({ balance, rate, minimum, accrued }) => [balance, rate, minimum, accrued])).toEqual([
      // The first balance is 250,000 plus a month's interest. On 28 February a month ends, so no interest is carried
      // over.
      [255_188, 2_490, 9_000, 0],
      [150_863, 690, 5_000, 0],
      [61_995, 3_990, 2_500, 0],
    ]);
  });

  test('is the new baseline: on track on that day, and compared with the new schedule afterwards', () => {
    const first = firstRevision();
    const behind = historyOf([], first);
    expect(planProgress(behind, '2026-02-28').ahead_by).toBe(-30_000);
    const second = revisedPlan(behind, { monthlyBudget: pence(40_000) }, onDay('2026-02-28'));
    expect(planProgress(historyOf([], first, second), '2026-02-28')).toMatchObject({
      ...{ months_elapsed: 1, starting_balance: 510_000, expected_balance: 519_083, actual_balance: 519_083 },
      ...{ ahead_by: 0, on_track: true },
    });
    const kept = historyOf(asPlanned(second, 3), first, second);
    for (const day of ['2026-03-28', '2026-04-28', '2026-05-28']) expect(planProgress(kept, day).ahead_by).toBe(0);
    expect(planProgress(historyOf([], first, second), '2026-03-28').ahead_by).toBe(-40_000);
  });

  test('within a month loses no interest: the passed days’ interest is added with the first month', () => {
    const first = firstRevision({ startsOn: '2026-03-01', madeOn: '2026-03-01' });
    const history = historyOf([], first);
    // By 11 March, 10 of the month's 31 days have passed, and so 2,008.06 of its interest (6,225) has accrued.
    const second = revisedPlan(history, { strategy: 'snowball' }, onDay('2026-03-11'));
    expect(second.debts[0]).toMatchObject({ balance: 300_000, accrued: 2_008 });
    const { schedule } = simulateRepayment(second);
    expect(schedule[0]).toEqual({ month: 1, debt: 'A', payment: 9_000, remaining: 300_000 + 6_225 + 2_008 - 9_000 });
    const kept = historyOf(asPlanned(second, 2), first, second);
    for (const day of ['2026-03-11', '2026-04-10', '2026-04-11', '2026-05-11']) {
      expect(planProgress(kept, day)).toMatchObject({ on_track: true });
    }
    expect(planProgress(kept, '2026-04-11').ahead_by).toBe(0);
  });

  test('after another change keeps interest that was not added yet', () => {
    const first = firstRevision({ startsOn: '2026-03-01', madeOn: '2026-03-01' });
    const second = revisedPlan(historyOf([], first), {}, onDay('2026-03-11'));
    const third = revisedPlan(historyOf([], first, second), {}, onDay('2026-03-21'));
    // By 21 March, 10 of the 31 days to 11 April have passed.
    expect(third.debts[0]).toMatchObject({ balance: 300_000, accrued: 2_008 + 2_008 });
    const fourth = revisedPlan(historyOf([], first, second, third), {}, onDay('2026-04-21'));
    expect(fourth.debts[0]).toMatchObject({ balance: 300_000 + 6_225 + 4_016, accrued: 0 });
  });

  test('can set a balance, which includes earlier payments, and later payments are subtracted', () => {
    const first = firstRevision();
    const early = paid('2026-02-05', 'A', 10_000);
    const changes = { debts: [{ name: 'A', balance: pence(123_456), rate: 1_000, minimum: pence(1) }] };
    const second = revisedPlan(historyOf([early], first), changes, onDay('2026-02-10'));
    expect(second.debts[0]).toMatchObject({ balance: 123_456, rate: 1_000, minimum: 1, accrued: 0, isGiven: true });
    expect(second.debts[1]).toMatchObject({ balance: 150_000, isGiven: false });
    const balanceWith = (...payments: Paid[]) =>
      standingOn(historyOf([early, ...payments], first, second), '2026-02-10').debts[0]!.balance;
    expect(balanceWith()).toBe(123_456);
    expect(balanceWith(paid('2026-02-09', 'A', 500))).toBe(123_456);
    expect(balanceWith(paid('2026-02-10', 'A', 500, '11:59'))).toBe(123_456);
    expect(balanceWith(paid('2026-02-10', 'A', 500, '12:01'))).toBe(122_956);
  });

  test('still counts earlier payments that are recorded later', () => {
    const first = firstRevision();
    const second = revisedPlan(historyOf([], first), {}, onDay('2026-02-10'));
    const late = { ...paid('2026-02-05', 'A', 10_000), at: '2026-02-20T00:00:00.000Z' };
    const progress = planProgress(historyOf([late], first, second), '2026-02-20');
    expect(progress).toMatchObject({ ahead_by: 10_000, actual_balance: 500_000 });
  });

  test('of a plan with a later start takes effect at the start', () => {
    const first = firstRevision({ startsOn: '2026-06-15' });
    const changes = { debts: [{ name: 'C', balance: pence(1_000) }] };
    const second = revisedPlan(historyOf([], first), changes, onDay('2026-02-10'));
    expect(second).toMatchObject({ startsOn: '2026-06-15', madeOn: '2026-02-10' });
    const history = historyOf([], first, second);
    expect(standingOn(history, '2026-02-09').debts[2]!.balance).toBe(60_000);
    expect(planProgress(history, '2026-02-10')).toMatchObject({ actual_balance: 451_000, expected_balance: 451_000 });
    expect(planProgress(history, '2026-07-15')).toMatchObject({ months_elapsed: 1, ahead_by: -30_000 });
  });

  test('can set a debt to zero, and restore it', () => {
    const first = firstRevision();
    const nothing = ['A', 'B', 'C'].map((name) => ({ name, balance: pence(0) }));
    const second = revisedPlan(historyOf([], first), { debts: nothing }, onDay('2026-02-10'));
    const cleared = historyOf([], first, second);
    const free = { actual_balance: 0, expected_balance: 0, on_track: true, projected_debt_free_date: '2026-02-10' };
    expect(planProgress(cleared, '2026-05-01')).toMatchObject(free);
    const third = revisedPlan(cleared, { debts: [{ name: 'A', balance: pence(500) }] }, onDay('2026-05-01'));
    const owing = { actual_balance: 500, projected_debt_free_date: '2026-06-01' };
    expect(planProgress(historyOf([], first, second, third), '2026-05-01')).toMatchObject(owing);
  });

  test('of a debt that the plan does not have is refused', () => {
    const refusal = refusalOf(() => revisedPlan(historyOf(), { debts: [{ name: 'a', rate: 1 }] }, onDay('2026-02-10')));
    expect(refusal).toMatchObject({ code: 'unknown-debt' });
  });
});

describe('the rules of a plan', () => {
  test('debts have different names, and every duplicate is reported', () => {
    expect(nameFaults([A, B, A, A])).toMatchObject([{ pointer: '/debts/2/name' }, { pointer: '/debts/3/name' }]);
    expect(nameFaults([A, B, { name: 'a' }])).toEqual([]);
  });

  test('a plan may begin at most 366 days from today', () => {
    const start = (day: string) => () => requireStartDate(day, '2026-11-21');
    for (const day of ['2025-11-20', '2027-11-22']) expect(start(day)).not.toThrow();
    const errors = [{ pointer: '/start_date' }];
    for (const day of ['2025-11-19', '2027-11-23']) expect(refusalOf(start(day)).extra).toMatchObject({ errors });
  });

  test('a payment can be recorded from the plan’s start until today', () => {
    const record = (paidOn: string, start: string) => () => requirePaidOn(paidOn, start, '2026-11-21');
    for (const day of ['2026-11-01', '2026-11-21']) expect(record(day, '2026-11-01')).not.toThrow();
    const refusal = { code: 'invalid-request', extra: { errors: [{ pointer: '/paid_on' }] } };
    for (const [day, start] of [
      ['2026-10-31', '2026-11-01'],
      ['2026-11-22', '2026-11-01'],
      ['2026-11-21', '2026-12-01'],
      ['2026-12-01', '2026-12-01'],
    ] as const)
      expect(refusalOf(record(day, start))).toMatchObject(refusal);
  });

  test('the number of records is limited', () => {
    expect(() => requireBelow(4, 5, 'revisions')).not.toThrow();
    const refusal = { code: 'debt-plan-full', extra: { limit: 5 } };
    expect(refusalOf(() => requireBelow(5, 5, 'revisions'))).toMatchObject(refusal);
  });
});

function attempt(given: Repayment) {
  try {
    return simulateRepayment(given);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'debt-never-repaid') return error.code;
    throw error;
  }
}

function exactInterest(balance: bigint, rate: bigint): bigint {
  return (balance * rate * 2n + 120_000n) / 240_000n;
}

/** @returns null if the debts are never repaid */
function byTheRules({ debts, monthlyBudget, strategy }: Repayment) {
  const left = debts.map(({ balance, rate, ...rest }) => ({ ...rest, rate, balance: BigInt(balance) }));
  const schedule: [number, string, number, number][] = [];
  let interest = 0n;
  for (let month = 1; left.some(({ balance }) => balance > 0n); month += 1) {
    if (month > 1_200) return null;
    const open = left.filter(({ balance }) => balance > 0n);
    for (const one of open) {
      const added = exactInterest(one.balance, BigInt(one.rate));
      one.balance += added;
      interest += added;
    }
    let rest = BigInt(monthlyBudget);
    const payments = new Map(open.map(({ name }) => [name, 0n]));
    const pay = (one: (typeof open)[number], most: bigint) => {
      const amount = most < one.balance ? most : one.balance;
      one.balance -= amount;
      payments.set(one.name, payments.get(one.name)! + amount);
      rest -= amount;
    };
    const order = open.toSorted((a, b) => {
      const byBalance = a.balance < b.balance ? -1 : a.balance > b.balance ? 1 : 0;
      const byRate = b.rate - a.rate;
      return strategy === 'avalanche' ? byRate || byBalance : byBalance || byRate;
    });
    for (const one of open) pay(one, BigInt(one.minimum));
    for (const one of order) pay(one, rest);
    for (const one of open) schedule.push([month, one.name, Number(payments.get(one.name)), Number(one.balance)]);
  }
  return { schedule, interest: Number(interest) };
}

function rows(schedule: readonly Instalment[]): string[] {
  return schedule.map(({ month, debt: name, payment, remaining }) => `${month} ${name} ${payment} ${remaining}`);
}
