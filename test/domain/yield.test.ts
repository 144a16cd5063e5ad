import fc from 'fast-check';
import { addDays, addMonths, daysBetween, monthStartOf, monthStarts } from '../../domain/dates.ts';
import { exact, pence } from '../../domain/money.ts';
import { effectiveApy, forecastYield } from '../../domain/yield-forecast.ts';
import {
  balanceDaysOf,
  earningPeriods,
  earnsBetween,
  hasUnposted,
  MAX_EARNED,
  MAX_HELD,
  planAccruals,
  rateMillionths,
  rateOn,
  ratesUntil,
  remainderText,
  requireAsOf,
  settle,
  taxYearStartOf,
  type BalanceChange,
  type RateFrom,
  type Standing,
} from '../../domain/yield.ts';
import { refusalOf } from '../helpers/refusal.ts';

const UNITS = 365_000_000n;
const since = (annualRate: string): RateFrom[] => [{ from: '0001-01-01', annualRate }];
const standing = (from: string, balance: number, more: Partial<Standing> = {}): Standing => ({
  from,
  carried: 0,
  balance: pence(balance),
  earned: pence(0),
  changes: [],
  nextSeq: 1,
  ...more,
});
// Ledger entries are numbered from 1.
const changesOf = (moves: readonly { day: string; amount: number }[]): BalanceChange[] =>
  [...new Set(moves.map(({ day }) => day))].toSorted().map((day) => ({
    day,
    amount: pence(moves.filter((move) => move.day === day).reduce((sum, { amount }) => sum + amount, 0)),
    firstSeq: moves.findIndex((move) => move.day === day) + 1,
  }));
/** Changes of the balance, such as `2026-01-05 10`. */
const told = (...changes: string[]) =>
  changesOf(changes.map((one) => ({ day: one.slice(0, 10), amount: Number(one.slice(11)) })));

const rates = fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => (millionths / 1_000_000).toFixed(6));
const START = '2024-01-17';
type Days = [from: string, to: string];
const dayNumbers = fc.integer({ min: 0, max: 3_652 });

// No withdrawal exceeds the balance.
const moves = fc
  .array(fc.record({ at: dayNumbers, amount: fc.integer({ min: -5_000_000, max: 5_000_000 }) }), { maxLength: 40 })
  .map((wished) => {
    let balance = 0;
    return wished
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, amount }) => {
        const moved = Math.max(amount, -balance);
        balance += moved;
        return { day: addDays(START, at), amount: moved };
      });
  });

describe('a day of interest', () => {
  test.each([
    [500_000, '0.045', 1, '61.643835616', 62],
    [500_000, '0.045', 31, '1910.958904110', 1_911],
    [501_911, '0.045', 28, '1732.624273973', 1_733],
    [503_644, '0.045', 31, '1924.885972603', 1_925],
    // Under the Actual/365 Fixed convention, a leap year earns interest for 366 days.
    [1_000_000, '0.0365', 365, '36500.000000000', 36_500],
    [1_000_000, '0.0365', 366, '36600.000000000', 36_600],
    // Exactly half a penny is rounded up.
    [1, '0.5', 365, '0.500000000', 1],
    [1, '0.499999', 365, '0.499999000', 0],
    [0, '0.045', 31, '0.000000000', 0],
  ])('%i pence at %s for %i days earn %s pence, of which %i are posted', (balance, rate, days, earned, posted) => {
    const { accrued, remainder } = settle(BigInt(balance) * BigInt(days), rate);
    expect(accrued).toBe(posted);
    expect(exact(accrued).plus(exact(remainder).dividedBy(UNITS.toString())).toFixed(9)).toBe(earned);
  });

  test('fractions are carried, and rounded once a posting, not once a day', () => {
    const daily = Array.from({ length: 31 }, () => settle(500_000n, '0.045').accrued);
    expect(daily.reduce((sum, accrued) => sum + accrued, 0)).toBe(1_922);
    let carried = 0;
    let posted = 0;
    for (let day = 0; day < 31; day += 1) {
      const settled = settle(500_000n, '0.045', carried);
      carried = settled.remainder;
      posted += settled.accrued;
    }
    expect(posted).toBe(1_911);
  });

  test('rounded-up pennies are never taken back', () => {
    expect(settle(0n, '0.045', -182_500_000)).toEqual({ accrued: 0, remainder: -182_500_000 });
    expect(settle(0n, '0.045', 182_499_999)).toEqual({ accrued: 0, remainder: 182_499_999 });
  });

  test('no two remainders look the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: -182_500_000, max: 182_499_998 }), (units) => {
        expect(remainderText(units)).not.toBe(remainderText(units + 1));
        const shown = exact(remainderText(units)).times(UNITS.toString());
        expect(shown.toDecimalPlaces(0).toNumber() + 0).toBe(units);
      }),
    );
    const texts = [0, -182_500_000, -15_000_000].map(remainderText);
    expect(texts).toEqual(['0.000000000', '-0.500000000', '-0.041095890']);
  });

  test('a result that a number cannot hold exactly is refused', () => {
    expect(() => settle(BigInt(MAX_HELD) * 366n, '1')).toThrow(expect.objectContaining({ code: 'balance-limit' }));
    const full = standing('2026-01-01', MAX_HELD - 10);
    const plan = () => planAccruals(full, { to: '2026-02-01', rates: since('0.01'), monthly: false });
    expect(plan).toThrow(expect.objectContaining({ code: 'balance-limit' }));
  });

  test.each([
    [45_001, true],
    [45_000, true],
    [44_999, false],
  ])('of 45,000 pence %i pence below the limit of an owner is posted: %p', (room, fits) => {
    const saved = standing('2026-01-01', 365_000_000, { earned: pence(MAX_EARNED - room) });
    const plan = () => planAccruals(saved, { to: '2026-01-02', rates: since('0.045'), monthly: false });
    if (fits) expect(plan()).toMatchObject([{ accrued: 45_000 }]);
    else expect(refusalOf(plan).code).toBe('balance-limit');
  });
});

describe('a rate', () => {
  test.each([
    ['0', 0],
    ['0.0410', 41_000],
    ['0.000001', 1],
    ['1', 1_000_000],
  ])('%s is %i millionths', (rate, millionths) => expect(rateMillionths(rate)).toBe(millionths));

  test.each(['0.0000001', '1.000001', '-0.01', 'NaN', '2'])('%s is not a rate', (rate) => {
    expect(() => rateMillionths(rate)).toThrow(RangeError);
  });

  test('applies from its day on, and the first rate also to earlier days', () => {
    const changing = [...since('0.01'), { from: '2026-03-10', annualRate: '0.02' }];
    const rates = ['1999-01-01', '2026-03-09', '2026-03-10', '2030-01-01'].map((day) => rateOn(changing, day));
    expect(rates).toEqual(['0.01', '0.01', '0.02', '0.02']);
  });
});

describe('end-of-day balances', () => {
  test('money that came in and went out on the same day does not count', () => {
    const sameDay = ['2026-01-05 500', '2026-01-05 -500', '2026-01-06 300', '2026-01-06 -1300'];
    const changes = told('2026-01-01 1000', ...sameDay);
    expect(balanceDaysOf(pence(0), changes, { from: '2026-01-01', to: '2026-01-31' })).toBe(5_000n);
  });

  test('add up to the same as day by day', () => {
    fc.assert(
      fc.property(moves, dayNumbers, dayNumbers, (all, one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)].map((day) => addDays(START, day)) as Days;
        let total = 0n;
        for (let day = from; day < to; day = addDays(day, 1)) {
          total += BigInt(all.filter((move) => move.day <= day).reduce((sum, { amount }) => sum + amount, 0));
        }
        expect(balanceDaysOf(pence(0), changesOf(all), { from, to })).toBe(total);
      }),
      { numRuns: 30 },
    );
  });
});

describe('for any posting dates', () => {
  const postingDays = fc.array(dayNumbers, { maxLength: 60 });

  test('posted and carried amounts together equal the earned interest exactly', () => {
    fc.assert(
      fc.property(moves, postingDays, rates, (all, numbers, rate) => {
        const end = addDays(START, 3_653);
        const days = [...new Set([...numbers.map((number) => addDays(START, number)), end])].sort();
        const changes = changesOf(all);
        let [from, carried, posted] = [START, 0, 0n];
        for (const to of days) {
          const settled = settle(balanceDaysOf(pence(0), changes, { from, to }), rate, carried);
          [from, carried, posted] = [to, settled.remainder, posted + BigInt(settled.accrued)];
        }
        const earned = balanceDaysOf(pence(0), changes, { from: START, to: end }) * BigInt(rateMillionths(rate));
        expect(posted * UNITS + BigInt(carried)).toBe(earned);
        // At most half a penny is carried over, so posting dates change the result by at most a penny.
        expect(2n * BigInt(carried) >= -UNITS && 2n * BigInt(carried) < UNITS).toBe(true);
      }),
    );
  });

  test('with compound interest, a plan equals a day-by-day calculation', () => {
    fc.assert(
      fc.property(moves, rates, dayNumbers, (all, rate, end) => {
        const to = addDays(START, end);
        const balance = all.reduce((sum, { amount }) => sum + amount, 0);
        const vault = standing(START, balance, { changes: changesOf(all), nextSeq: all.length + 1 });
        const plan = planAccruals(vault, { to, rates: since(rate), monthly: true });
        const [posted, carried] = dayByDay(all, rate, to);
        expect(plan.map((accrual) => [accrual.to, accrual.accrued])).toEqual(rateMillionths(rate) === 0 ? [] : posted);
        expect(plan.at(-1)?.remainder ?? 0).toBe(carried);
      }),
      { numRuns: 40 },
    );
  });

  // A simple model: adds interest daily, and posts it on the first of each month and on the last day.
  function dayByDay(all: readonly { day: string; amount: number }[], rate: string, to: string) {
    const posted: [string, number][] = [];
    let [purse, interest] = [0n, 0];
    for (let day = START; day < to; day = addDays(day, 1)) {
      const held = all.filter((move) => move.day <= day).reduce((sum, { amount }) => sum + amount, interest);
      purse += BigInt(held) * BigInt(rateMillionths(rate));
      const next = addDays(day, 1);
      if (next !== to && !next.endsWith('-01')) continue;
      const accrued = Number((purse * 2n + UNITS) / (UNITS * 2n));
      posted.push([next, accrued]);
      interest += accrued;
      purse -= BigInt(accrued) * UNITS;
    }
    return [posted, Number(purse)] as const;
  }
});

describe('a plan', () => {
  const year = since('0.045');

  test('posts once up to the requested day, or month by month as the monthly run does', () => {
    const vault = standing('2026-01-01', 500_000);
    const once = planAccruals(vault, { to: '2026-04-01', rates: year, monthly: false });
    expect(once).toMatchObject([{ from: '2026-01-01', to: '2026-04-01', accrued: 5_548, balanceAfter: 505_548 }]);
    const monthly = planAccruals(vault, { to: '2026-04-01', rates: year, monthly: true });
    expect(monthly.map(({ from, to, accrued, balanceAfter }) => [from, to, accrued, balanceAfter])).toEqual([
      ['2026-01-01', '2026-02-01', 1_911, 501_911],
      // February carries January's remainder of -0.041 pence.
      ['2026-02-01', '2026-03-01', 1_733, 503_644],
      ['2026-03-01', '2026-04-01', 1_924, 505_568],
    ]);
    expect(remainderText(monthly[0]!.remainder)).toBe('-0.041095890');
  });

  test('can end in the middle of a month', () => {
    const plan = planAccruals(standing('2026-01-20', 500_000), { to: '2026-02-03', rates: year, monthly: true });
    expect(plan.map(({ from, to }) => [from, to])).toEqual([
      ['2026-01-20', '2026-02-01'],
      ['2026-02-01', '2026-02-03'],
    ]);
  });

  test('of no days is one accrual of zero, and none in the monthly run', () => {
    const vault = standing('2026-01-01', 500_000);
    expect(planAccruals(vault, { to: '2026-01-01', rates: year, monthly: false })).toMatchObject([
      { from: '2026-01-01', to: '2026-01-01', accrued: 0, remainder: 0 },
    ]);
    expect(planAccruals(vault, { to: '2026-01-01', rates: year, monthly: true })).toEqual([]);
  });

  test('splits at a change of rate, with each day at its own rate', () => {
    const changing = [...year, { from: '2026-01-11', annualRate: '0.0365' }];
    for (const monthly of [false, true]) {
      const plan = planAccruals(standing('2026-01-01', 100_000), { to: '2026-02-01', rates: changing, monthly });
      expect(plan.map(({ from, to, annualRate, accrued }) => [from, to, annualRate, accrued])).toEqual([
        ['2026-01-01', '2026-01-11', '0.045', 123],
        ['2026-01-11', '2026-02-01', '0.0365', 211],
      ]);
    }
  });

  test('combines years without a rate, and leaves recent days without interest for later', () => {
    const vault = standing('2020-01-15', 100_000);
    const later = [...since('0'), { from: '2026-01-11', annualRate: '0.0365' }];
    expect(planAccruals(vault, { to: '2026-02-01', rates: later, monthly: true })).toMatchObject([
      { from: '2020-01-15', to: '2026-01-11', accrued: 0, remainder: 0 },
      { from: '2026-01-11', to: '2026-02-01', accrued: 210 },
    ]);
    const over = [...since('0.0365'), { from: '2020-01-25', annualRate: '0' }];
    expect(planAccruals(vault, { to: '2026-02-01', rates: over, monthly: true })).toMatchObject([
      { from: '2020-01-15', to: '2020-01-25', accrued: 100 },
    ]);
    expect(planAccruals(vault, { to: '2026-02-01', rates: since('0'), monthly: true })).toEqual([]);
  });

  test('returns the last entry that the next plan can skip', () => {
    const changes = told('2026-01-05 10', '2026-02-01 10', '2026-02-20 10');
    const vault = standing('2026-01-01', 30, { changes, nextSeq: 4 });
    const plan = planAccruals(vault, { to: '2026-03-01', rates: year, monthly: true });
    expect(plan.map(({ entriesBefore }) => entriesBefore)).toEqual([2, 4]);
    expect(
      planAccruals(standing('2026-01-01', 0, { nextSeq: 9 }), { to: '2026-02-01', rates: year, monthly: true }),
    ).toMatchObject([{ entriesBefore: 9 }]);
  });
});

describe('days', () => {
  test('the firsts after a day, up to another', () => {
    expect(monthStarts('2026-01-01', '2026-04-01')).toEqual(['2026-02-01', '2026-03-01', '2026-04-01']);
    expect(monthStarts('2025-12-31', '2026-01-31')).toEqual(['2026-01-01']);
    expect(monthStarts('2026-01-02', '2026-01-31')).toEqual([]);
    expect(monthStartOf('2026-02-28')).toBe('2026-02-01');
  });

  test.each([
    ['2026-04-05', '2025-04-06'],
    ['2026-04-06', '2026-04-06'],
    ['2026-12-31', '2026-04-06'],
    ['2027-01-01', '2026-04-06'],
  ])('the tax year of %s began on %s', (day, start) => expect(taxYearStartOf(day)).toBe(start));

  test('an accrual ends today at the latest, and not before the vault was made', () => {
    const refusal = (asOf: string) => () => requireAsOf(asOf, '2026-03-10', '2026-03-01');
    for (const asOf of ['2026-03-01', '2026-03-10']) expect(refusal(asOf)).not.toThrow();
    for (const asOf of ['2026-02-28', '2026-03-11']) {
      const errors = [{ pointer: '/as_of' }];
      expect(refusalOf(refusal(asOf))).toMatchObject({ code: 'invalid-request', extra: { errors } });
    }
  });
});

describe('unposted interest', () => {
  const rate = '0.05';
  const paused = [...since(rate), { from: '2026-11-10', annualRate: '0' }];
  const held = (from: string, balance: number, ...changes: string[]) =>
    standing(from, balance, { changes: told(...changes) });
  const saved = held('2026-11-02', 100, '2026-11-02 100');
  const older = held('2026-11-01', 100);
  const replaced = held('2026-11-01', 100, '2026-11-03 -40', '2026-11-05 40');
  const withdrawn = held('2026-11-02', 0, '2026-11-10 -100');
  const left = held('2026-11-02', 0, '2026-11-09 100', '2026-11-10 -100');
  const later = held('2026-11-02', 100, '2026-11-10 100');
  const accrued = held('2026-12-01', 100);

  test.each([
    ['has grown after one night', saved, '2026-11-02', '2026-11-03', since(rate), true],
    ['has not grown on its first day', saved, '2026-11-02', '2026-11-02', since(rate), false],
    ['has not grown at a rate of zero', saved, '2026-11-02', '2026-12-01', since('0'), false],
    ['has grown before the rate became zero', saved, '2026-11-02', '2026-12-01', paused, true],
    ['has not grown since the rate became zero', later, '2026-11-10', '2026-12-01', paused, false],
    ['has grown before the money left', left, '2026-11-09', '2026-12-01', since(rate), true],
    ['has not grown if all the money is older', older, '2026-11-02', '2026-12-01', since(rate), false],
    ['has not grown if the money only replaced older money', replaced, '2026-11-02', '2026-12-01', since(rate), false],
    ['has not grown since the money left', withdrawn, '2026-11-10', '2026-12-01', since(rate), false],
    ['has not grown before the money came', later, '2026-11-02', '2026-11-10', since(rate), false],
    ['has grown since the money came', later, '2026-11-02', '2026-11-11', since(rate), true],
    ['has not grown on days that are accrued', accrued, '2026-11-02', '2026-12-01', since(rate), false],
  ])('%s', (_name, vault, from, to, known, grown) => {
    expect(hasUnposted({ ...vault, interest: pence(0) }, { since: from, to, rates: known })).toBe(grown);
  });

  test('has not grown if only the interest of the last month came', () => {
    const posted = held('2026-12-01', 101, '2026-12-01 1');
    const asked = { since: '2026-12-01', to: '2026-12-03', rates: since(rate) };
    expect(hasUnposted({ ...posted, interest: pence(1) }, asked)).toBe(false);
    expect(hasUnposted({ ...posted, interest: pence(0) }, asked)).toBe(true);
  });
});

test.each<[from: string, to: string, known: RateFrom[], earns: boolean]>([
  ['2026-01-01', '2026-01-02', since('0.01'), true],
  ['2026-01-01', '2026-01-01', since('0.01'), false],
  ['2026-01-01', '2027-01-01', since('0'), false],
  ['2026-01-01', '2026-01-05', [...since('0'), { from: '2026-01-04', annualRate: '0.01' }], true],
  ['2026-01-01', '2026-01-04', [...since('0'), { from: '2026-01-04', annualRate: '0.01' }], false],
  ['2026-01-04', '2026-01-05', [...since('0.01'), { from: '2026-01-04', annualRate: '0' }], false],
])('money from %s to before %s earns interest at %j: %p', (from, to, known, earns) => {
  expect(earnsBetween(known, { from, to })).toBe(earns);
});

describe('an owner who earns nothing from a day on', () => {
  const days = fc.integer({ min: 0, max: 60 });
  const known = fc
    .uniqueArray(fc.tuple(days, fc.constantFrom('0', '0.04', '0.05')), { minLength: 1, selector: ([day]) => day })
    .map((all) => all.toSorted(([a], [b]) => a - b))
    .map((all) => all.map(([day, annualRate]): RateFrom => ({ from: addDays(START, day), annualRate })));
  const all = Array.from({ length: 62 }, (_, day) => addDays(START, day));

  test('earns at the rates of everybody before that day, and nothing from then on', () => {
    fc.assert(
      fc.property(known, days, (rates, end) => {
        const [until, own] = [addDays(START, end), ratesUntil(rates, addDays(START, end))];
        for (const day of all) expect(rateOn(own, day)).toBe(day < until ? rateOn(rates, day) : '0');
        expect(ratesUntil(rates, null)).toBe(rates);
      }),
    );
  });

  test('and everybody else earns in the periods for which a monthly run posts interest, and on no other day', () => {
    fc.assert(
      fc.property(known, days, fc.option(days), (rates, end, until) => {
        const [to, own] = [addDays(START, end), ratesUntil(rates, until === null ? null : addDays(START, until))];
        const periods = earningPeriods(own, to);
        for (const day of all) {
          const earns = day < to && rateOn(own, day) !== '0';
          expect([day, periods.some((period) => period.from <= day && day < period.to)]).toEqual([day, earns]);
        }
        const posted = planAccruals(standing(START, 100), { to, rates: own, monthly: true });
        const ends = periods.at(-1)?.to ?? START;
        expect(posted.at(-1)?.to).toBe(ends > START ? ends : undefined);
      }),
    );
  });
});

describe('a forecast', () => {
  const vault = { balance: pence(500_000), annualRate: '0.045' };
  const year = (reinvest: boolean) => forecastYield({ vaults: [vault], today: '2026-01-01', months: 12, reinvest });

  test('with reinvestment grows month by month', () => {
    const { monthly_breakdown: months, ...rest } = year(true);
    expect(months.slice(0, 3)).toEqual([
      { month: 1, accrued: 1_911, balance: 501_911 },
      { month: 2, accrued: 1_733, balance: 503_644 },
      { month: 3, accrued: 1_925, balance: 505_569 },
    ]);
    expect(months).toHaveLength(12);
    expect(rest).toEqual({
      current_balance: 500_000,
      projected_yield: 22_969,
      effective_apy: '4.59',
      forecast_date: '2027-01-01T00:00:00.000Z',
    });
  });

  test('without reinvestment the balance stays', () => {
    const { monthly_breakdown: months, projected_yield, effective_apy: apy } = year(false);
    expect([projected_yield, apy]).toEqual([22_499, '4.50']);
    expect(months.every(({ balance }) => balance === 500_000)).toBe(true);
  });

  test('months begin on today’s day, or on the last day of a shorter month', () => {
    const vaults = [{ balance: pence(36_500_000), annualRate: '0.01' }];
    const given = { vaults, today: '2026-01-31', months: 3, reinvest: false };
    const { monthly_breakdown: months, forecast_date } = forecastYield(given);
    // A balance of 36,500,000 pence earns 1,000 pence a day at 1 %. The months have 28, 31 and 30 days.
    expect(months.map(({ accrued }) => accrued)).toEqual([28_000, 31_000, 30_000]);
    expect(forecast_date).toBe('2026-04-29T23:00:00.000Z');
  });

  test('without vaults or money is zero', () => {
    const monthly_breakdown = [1, 2].map((month) => ({ month, accrued: 0, balance: 0 }));
    const nothing = { current_balance: 0, projected_yield: 0, effective_apy: '0.00', monthly_breakdown };
    for (const vaults of [[], [{ ...vault, balance: pence(0) }]])
      expect(forecastYield({ vaults, today: '2026-01-01', months: 2, reinvest: true })).toMatchObject(nothing);
  });

  test('a result that a number cannot hold exactly is refused', () => {
    const rich = [{ balance: pence(9_000_000_000_000_000), annualRate: '1' }];
    expect(() => forecastYield({ vaults: rich, today: '2026-01-01', months: 1, reinvest: true })).toThrow(
      expect.objectContaining({ code: 'balance-limit' }),
    );
  });

  test('is the sum of its months, and each month is the sum of its vaults, rounded for each vault', () => {
    const vaults = fc.array(
      fc.record({ balance: fc.integer({ min: 0, max: 10_000_000 }).map(pence), annualRate: rates }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(vaults, fc.integer({ min: 1, max: 24 }), fc.boolean(), (all, months, reinvest) => {
        const today = '2026-08-31';
        const given = forecastYield({ vaults: all, today, months, reinvest });
        const balances = all.map(({ balance }) => exact(balance));
        for (const { month, accrued, balance } of given.monthly_breakdown) {
          const days = daysBetween(addMonths(today, month - 1), addMonths(today, month));
          const earned = all.map(({ annualRate }, place) =>
            balances[place]!.times(annualRate).times(days).dividedBy(365).toDecimalPlaces(0),
          );
          if (reinvest) earned.forEach((part, place) => (balances[place] = balances[place]!.plus(part)));
          expect([accrued, balance]).toEqual([
            earned.reduce((sum, part) => sum + part.toNumber(), 0),
            balances.reduce((sum, part) => sum + part.toNumber(), 0),
          ]);
        }
        expect(given.projected_yield).toBe(given.monthly_breakdown.reduce((sum, { accrued }) => sum + accrued, 0));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['0.045', true, '4.59'],
    ['0.045', false, '4.50'],
    ['0.0410', true, '4.18'],
    ['0.00005', false, '0.01'],
    ['0.00004', false, '0.00'],
  ])('%s a year (reinvested: %s) is an effective %s %%', (annualRate, reinvest, apy) => {
    expect(effectiveApy([{ balance: pence(1), annualRate }], reinvest)).toBe(apy);
  });

  test('the rate is weighted by the vaults’ balances', () => {
    const two = [
      { balance: pence(300), annualRate: '0.04' },
      { balance: pence(100), annualRate: '0' },
      { balance: pence(0), annualRate: '1' },
    ];
    expect(effectiveApy(two, false)).toBe('3.00');
  });
});
