import fc from 'fast-check';
import type { CreditPayment } from '../../domain/bills.ts';
import { periodOf, reliabilityOf, type Reliability } from '../../domain/credential.ts';
import { addDays, addMonths } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';

const TODAY = '2026-11-21';
const NOW = new Date('2026-11-21T23:00:00Z');
const PERIOD = periodOf(TODAY, 12);

type Changes = Partial<Omit<CreditPayment, 'amount'>> & { amount?: number };

/** Without a due date, a payment made and settled at noon is on time. */
function paid(day: string, { amount = 5_000, ...changes }: Changes = {}): CreditPayment {
  const at = `${day}T12:00:00.000Z`;
  return {
    status: 'completed',
    due_date: null,
    execute_on: null,
    initiated_at: at,
    completed_at: at,
    attempt: 1,
    attempted_at: at,
    account: 'rent',
    vouched: true,
    amount: pence(amount),
    ...changes,
  };
}
const late = (day: string, changes: Changes = {}) => paid(day, { due_date: addDays(day, -1), ...changes });
const missed = (day: string, changes: Changes = {}) => paid(day, { status: 'failed', completed_at: null, ...changes });

const judged = (past: readonly CreditPayment[], period = PERIOD): Reliability => {
  const found = reliabilityOf({ past, period, now: NOW });
  if (!('bills' in found)) throw new Error('there is no history');
  return found;
};
const scoreOf = (past: readonly CreditPayment[], period = PERIOD) => judged(past, period).reliability_score;
const judgement = (past: readonly CreditPayment[]) => {
  const { reliability_score, score_breakdown, bills, payees, months_covered } = judged(past);
  return { reliability_score, score_breakdown, bills, payees, months_covered };
};

// Three bills a month. `lateOnes` are days and payees, such as `2026-11-05 energy`.
const year = (lateOnes: readonly string[] = []) =>
  Array.from({ length: 12 }, (_, back) => addMonths('2026-11-05', -back)).flatMap((day) =>
    ['rent', 'energy', 'water'].map((account) =>
      (lateOnes.includes(`${day} ${account}`) ? late : paid)(day, { account }),
    ),
  );

describe('the worked examples', () => {
  // Punctuality, history and streak: 700 x 1/6 + 200 x 1/12 + 100 x 1/12 = 116.67 + 16.67 + 8.33 = 141.67.
  test('one month scores 142, however many payments go to however many payees', () => {
    expect(scoreOf([paid('2026-11-05')])).toBe(142);
    const many = Array.from({ length: 60 }, (_, place) => paid('2026-11-20', { account: `payee ${place}` }));
    expect(judged(many)).toMatchObject({ reliability_score: 142, bills: 60, payees: 60, months_covered: 1 });
  });

  test('three bills a month for twelve months score 1000', () => {
    expect(judged(year())).toMatchObject({ reliability_score: 1000, bills: 36, payees: 3, months_covered: 12 });
  });

  // A bill weighs 0.5^(days ago / 182.5). Punctuality 0.95161, history 1, streak 0: 666.1 + 200 + 0.
  test('with one late in the newest month they score about 866', () => {
    expect(scoreOf(year(['2026-11-05 energy']))).toBe(866);
  });

  // Punctuality 0.97561, history 1, streak 6/12 (June to November): 682.9 + 200 + 50.
  test('with one late half a year ago they score about 933', () => {
    expect(scoreOf(year(['2026-05-05 energy']))).toBe(933);
  });
});

describe('the score equals a calculation by hand', () => {
  test('a bill’s weight halves every 182.5 days since its last settlement', () => {
    const old = addDays(TODAY, -365);
    // Weights: 1/4 for the late bill of a year ago, 1 for today's. Punctuality (1 / 1.25) x 2/6 = 0.26667: 186.67 +
    // 33.33 + 8.33.
    const found = judged([late(old), paid(TODAY)], periodOf(TODAY, 13));
    expect(found.reliability_score).toBe(228);
    const bases = [
      '1 of 2 bills on time, recent bills count most; 2 months with a bill (full points from 6 months)',
      '2 months with a bill (full points from 12 months)',
      '1 month in a row with every bill on time (full points from 12 months)',
    ];
    expect(found.score_breakdown).toEqual([
      { factor: 'punctuality', value: '0.2667', points: 187, of: 700, basis: bases[0] },
      { factor: 'history', value: '0.1667', points: 33, of: 200, basis: bases[1] },
      { factor: 'streak', value: '0.0833', points: 8, of: 100, basis: bases[2] },
    ]);
    // Punctuality (0.25 / 1.25) x 2/6 = 0.06667, streak 0: 46.67 + 33.33 + 0.
    expect(scoreOf([paid(old), late(TODAY)])).toBe(80);
  });

  test('the streak begins at the newest month with a bill, and ends at a month without one', () => {
    const months = (...days: string[]) => days.map((day) => paid(day));
    const streakOf = (past: CreditPayment[]) => judged(past).score_breakdown[2]!.value;
    expect(streakOf(months('2026-07-05', '2026-08-05', '2026-09-05'))).toBe('0.2500');
    expect(streakOf(months('2026-07-05', '2026-09-05', '2026-10-31'))).toBe('0.1667');
    expect(streakOf([late('2026-08-05'), ...months('2026-09-05', '2026-10-31')])).toBe('0.1667');
    expect(streakOf([...months('2026-09-05', '2026-10-31'), late('2026-10-31', { account: 'energy' })])).toBe('0.0000');
  });

  test('fractions are added exactly before rounding', () => {
    // Punctuality 3/6, history 3/12, streak 3/12: 350 + 50 + 25 = 425.
    expect(scoreOf(['2026-09-05', '2026-10-05', '2026-11-05'].map((day) => paid(day)))).toBe(425);
    // Punctuality 1/2 x 1/6, history 1/12, streak 0: 58.33 + 16.67 + 0 is exactly 75, although thirds are involved.
    expect(scoreOf([paid('2026-11-20'), late('2026-11-20', { account: 'energy' })])).toBe(75);
    // Punctuality 3/4 x 1/6, history 1/12, streak 0: 87.5 + 16.67 + 0 = 104.17.
    const bills = ['a', 'b', 'c'].map((account) => paid('2026-11-20', { account }));
    expect(scoreOf([...bills, late('2026-11-20', { account: 'd' })])).toBe(104);
    expect(scoreOf([...bills, paid('2026-11-20', { account: 'd' })])).toBe(142);
  });
});

describe('a bill', () => {
  test('is one account in the month of settlement, whatever the due dates', () => {
    const dueInNovember = paid('2026-10-30', { due_date: '2026-11-02' });
    expect(judged([dueInNovember, paid('2026-10-02')])).toMatchObject({ bills: 1, months_covered: 1 });
    expect(judged([dueInNovember, paid('2026-11-02')])).toMatchObject({ bills: 2, payees: 1, months_covered: 2 });
    // 00:30 on 1 July in London is still 30 June in UTC.
    const inJuly = paid('2026-06-30', { completed_at: '2026-06-30T23:30:00.000Z' });
    expect(judged([inJuly, paid('2026-07-20')])).toMatchObject({ bills: 1 });
  });

  test('that was never settled belongs to the month of its due date, else of execute_on, else of initiation', () => {
    const bills = (past: CreditPayment) => judged([paid('2026-09-20'), past]).bills;
    expect(bills(missed('2026-08-30', { due_date: '2026-09-02' }))).toBe(1);
    expect(bills(missed('2026-08-30', { execute_on: '2026-09-02' }))).toBe(1);
    expect(bills(missed('2026-09-02'))).toBe(1);
    expect(bills(missed('2026-08-30'))).toBe(2);
  });

  test('counts from a total of one pound, but its payments always count', () => {
    const pennies = [paid('2026-11-05', { amount: 99, account: 'a' }), paid('2026-11-06', { amount: 1, account: 'b' })];
    expect(reliabilityOf({ past: pennies, period: PERIOD, now: NOW })).toEqual({ payments_left_out: 0 });
    expect(judged([...pennies, paid('2026-11-07')])).toMatchObject({ bills: 1, payees: 1, total_payments: 3 });
    expect(judged([...pennies, paid('2026-11-07', { amount: 1, account: 'a' })])).toMatchObject({ bills: 1 });
  });

  test('is on time if all its concluded payments were', () => {
    const both = [paid('2026-11-05'), late('2026-11-06')];
    expect(judged(both).score_breakdown[0]!.value).toBe('0.0000');
    expect(judged(both)).toMatchObject({ bills: 1, total_payments: 2, missed_payments: 1, on_time_rate: '0.5000' });
  });
});

describe('a due date', () => {
  // Three days after it was made, a payment without a due date is late. Ignoring a due date must have the same effect.
  test('more than 31 days after the payment is ignored', () => {
    const [made, in31, in32] = ['2026-09-01', '2026-10-02', '2026-10-03'];
    const settled = { completed_at: '2026-09-04T12:00:00.000Z' };
    expect(judged([paid(made, { ...settled, due_date: in31 })])).toMatchObject({ missed_payments: 0 });
    expect(judged([paid(made, { ...settled, due_date: in32 })])).toMatchObject({ missed_payments: 1 });
    expect(judged([paid(made, { due_date: in31 })]).period.from).toBe(in31);
    expect(judged([paid(made, { due_date: in32 })]).period.from).toBe(made);
  });

  test('of a scheduled payment is compared with the scheduled day', () => {
    const scheduled = paid('2026-07-01', { execute_on: '2026-09-01', completed_at: '2026-09-04T12:00:00.000Z' });
    expect(judged([{ ...scheduled, due_date: '2026-10-02' }])).toMatchObject({ missed_payments: 0 });
    expect(judged([{ ...scheduled, due_date: '2026-10-03' }])).toMatchObject({ missed_payments: 1 });
  });
});

test('only payments to vouched payees count, and the others are reported', () => {
  const own = [1, 2, 3].map((day) => paid(`2026-11-0${day}`, { account: 'own', vouched: false }));
  expect(reliabilityOf({ past: own, period: PERIOD, now: NOW })).toEqual({ payments_left_out: 3 });
  const counted = { total_payments: 2, missed_payments: 1, total_paid: 1_234, payments_left_out: 3, payees: 1 };
  expect(judged([...own, paid('2026-11-05', { amount: 1_234 }), missed('2026-11-06')])).toMatchObject(counted);
});

test('only concluded payments count, and without any there is no score', () => {
  const open = [paid('2026-11-03', { status: 'cancelled' }), paid('2026-11-03', { status: 'returned' }), missed(TODAY)];
  expect(reliabilityOf({ past: [], period: PERIOD, now: NOW })).toEqual({ payments_left_out: 0 });
  expect(reliabilityOf({ past: open, period: PERIOD, now: NOW })).toEqual({ payments_left_out: 0 });
  expect(judged([...open, paid('2026-11-05')])).toMatchObject({ total_payments: 1, payments_left_out: 0 });
});

test('the period begins with the first counted payment, within the requested time', () => {
  const own = paid('2026-08-01', { account: 'own', vouched: false });
  const past = [paid('2025-11-20'), own, paid('2026-09-07'), paid('2026-11-05')];
  const found = judged(past);
  expect(found.period).toEqual({ from: '2026-09-07', to: TODAY });
  expect(found).toMatchObject({ total_payments: 2, payments_left_out: 1 });
  expect(found.months).toEqual([
    { month: '2026-09', on_time: 1, missed: 0 },
    { month: '2026-10', on_time: 0, missed: 0 },
    { month: '2026-11', on_time: 1, missed: 0 },
  ]);
  expect(judged(past, periodOf(TODAY, 13)).period.from).toBe('2025-11-20');
});

describe('of any payments', () => {
  const accounts = fc.constantFrom('rent', 'energy', 'water');
  const payments = fc
    .tuple(
      fc.integer({ min: 1, max: 364 }),
      accounts,
      fc.integer({ min: 100, max: 90_000 }),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([daysAgo, account, amount, end]) => {
      const make = end === 0 ? missed : end <= 2 ? late : paid;
      return make(addDays(TODAY, -daysAgo), { account, amount });
    });
  // A payment that failed yesterday gives no score yet, because a retry can still settle on time.
  const pasts = fc
    .array(payments, { minLength: 1, maxLength: 40 })
    .filter((past) => 'bills' in reliabilityOf({ past, period: PERIOD, now: NOW }));

  test('the score is from 0 to 1000, and points and counts add up', () => {
    fc.assert(
      fc.property(pasts, (past) => {
        const found = judged(past);
        expect(found.reliability_score).toBeGreaterThanOrEqual(0);
        expect(found.reliability_score).toBeLessThanOrEqual(1000);
        expect(found.score_breakdown.reduce((sum, { points }) => sum + points, 0)).toBe(found.reliability_score);
        for (const { points, of } of found.score_breakdown) expect(points).toBeLessThanOrEqual(of);
        const counted = found.months.reduce((sum, { on_time, missed: none }) => sum + on_time + none, 0);
        expect(counted).toBe(found.total_payments);
        expect(found.payees).toBeLessThanOrEqual(found.bills);
        expect(found.months_covered).toBeLessThanOrEqual(found.bills);
        expect(found.bills).toBeLessThanOrEqual(found.total_payments);
      }),
    );
  });

  test("pennies to one's own payees never raise the score", () => {
    const penny = fc.tuple(fc.integer({ min: 0, max: 365 }), fc.integer({ min: 0, max: 99 }), fc.boolean());
    fc.assert(
      fc.property(pasts, fc.array(penny, { maxLength: 40 }), (past, pennies) => {
        // To payees that no application vouches for, or less than a pound a month to each vouched payee.
        const more = pennies.map(([daysAgo, place, vouched]) =>
          paid(addDays(TODAY, -daysAgo), { amount: 1, account: `own ${place}`, vouched }),
        );
        expect(judged([...past, ...more]).score_breakdown).toEqual(judged(past).score_breakdown);
      }),
    );
  });

  test('more pennies to the same account on the day that settled its bill never raise the score', () => {
    fc.assert(
      fc.property(pasts, fc.integer({ min: 1, max: 50 }), (past, count) => {
        const more = past.flatMap((each) => Array.from({ length: count }, () => ({ ...each, amount: pence(1) })));
        expect(judged([...past, ...more]).score_breakdown).toEqual(judged(past).score_breakdown);
      }),
    );
  });

  test('splitting a bill into several payments to the same account changes only the number of payments', () => {
    fc.assert(
      fc.property(pasts, fc.integer({ min: 2, max: 9 }), (past, parts) => {
        const split = past.flatMap((each) => {
          const part = Math.floor(each.amount / parts);
          const amounts = [...Array<number>(parts - 1).fill(part), each.amount - (parts - 1) * part];
          return amounts.map((amount) => ({ ...each, amount: pence(amount) }));
        });
        expect(judgement(split)).toEqual(judgement(past));
        expect(judged(split).total_paid).toBe(judged(past).total_paid);
      }),
    );
  });

  test('one month scores 142 at most', () => {
    const inNovember = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 500_000 }), fc.nat(99), fc.boolean()),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(inNovember, (past) => {
        const payments = past.map(([day, amount, account, onTime]) =>
          (onTime ? paid : late)(addDays('2026-11-01', day), { amount, account: `payee ${account}` }),
        );
        const found = reliabilityOf({ past: payments, period: PERIOD, now: NOW });
        if ('bills' in found) expect(found.reliability_score).toBeLessThanOrEqual(142);
      }),
    );
  });

  test('a bill that becomes late never raises the score', () => {
    fc.assert(
      fc.property(pasts, fc.nat(), (past, which) => {
        const worse = past.map((each, place) =>
          place === which % past.length && each.completed_at !== null
            ? { ...each, due_date: addDays(each.completed_at.slice(0, 10), -1) }
            : each,
        );
        expect(scoreOf(worse)).toBeLessThanOrEqual(scoreOf(past));
      }),
    );
  });
});
