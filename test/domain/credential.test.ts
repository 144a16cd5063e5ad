import fc from 'fast-check';
import {
  categoriesOf,
  credentialStatus,
  expiryOf,
  issueInstant,
  periodOf,
  periodText,
  reliabilityOf,
} from '../../domain/credential.ts';
import { addDays } from '../../domain/dates.ts';
import { PROVIDER_CATEGORIES } from '../../domain/payments.ts';
import type { PaymentPast } from '../../domain/reliability.ts';

const TODAY = '2026-11-21';
const NOW = new Date('2026-11-21T12:00:00Z');
const PERIOD = periodOf(TODAY, 12);

/** A payment that was due so many days ago, and was paid that day or missed. */
const payment = (daysAgo: number, onTime = true): PaymentPast => {
  const due_date = addDays(TODAY, -daysAgo);
  const initiated_at = `${addDays(due_date, -1)}T12:00:00.000Z`;
  return {
    status: onTime ? 'completed' : 'failed',
    due_date,
    execute_on: null,
    initiated_at,
    completed_at: onTime ? `${due_date}T09:00:00.000Z` : null,
    attempt: 1,
    attempted_at: initiated_at,
  };
};
/** In the order of their days: `1` is on time, `0` missed, all of the same day. */
const sameDay = (ends: string, daysAgo = 1) => Array.from(ends, (end) => payment(daysAgo, end === '1'));
const judged = (past: PaymentPast[], period = PERIOD) => reliabilityOf(past, period, NOW)!;

describe('the score is as computed by hand', () => {
  test.each<[string, PaymentPast[], number, string, [string, number][]]>([
    // 700 x 1 + 200 x 1/24 + 100 x 1/12 = 700 + 8.33 + 8.33 = 716.67
    [
      'one on time',
      sameDay('1'),
      717,
      '1.0000',
      [
        ['1.0000', 700],
        ['0.0417', 9],
        ['0.0833', 8],
      ],
    ],
    // 0 + 8.33 + 0
    [
      'one missed',
      sameDay('0'),
      8,
      '0.0000',
      [
        ['0.0000', 0],
        ['0.0417', 8],
        ['0.0000', 0],
      ],
    ],
    // All full.
    [
      'two years of payments on time',
      sameDay('1'.repeat(24)),
      1000,
      '1.0000',
      [
        ['1.0000', 700],
        ['1.0000', 200],
        ['1.0000', 100],
      ],
    ],
    [
      'more than that',
      sameDay('1'.repeat(60)),
      1000,
      '1.0000',
      [
        ['1.0000', 700],
        ['1.0000', 200],
        ['1.0000', 100],
      ],
    ],
    // 700 x 3/4 + 200 x 4/24 + 100 x 2/12 = 525 + 33.33 + 16.67 = 575
    [
      'a miss, then two on time',
      sameDay('1011'),
      575,
      '0.7500',
      [
        ['0.7500', 525],
        ['0.1667', 33],
        ['0.1667', 17],
      ],
    ],
    // 700 x 3/4 + 33.33 + 0 = 558.33
    [
      'a miss at the end',
      sameDay('1110'),
      558,
      '0.7500',
      [
        ['0.7500', 525],
        ['0.1667', 33],
        ['0.0000', 0],
      ],
    ],
    // 700 x 2/3 = 466.67, 200 x 3/24 = 25, 100 x 2/12 = 16.67: 508.33, so that one of the two fractions is cut.
    [
      'points that do not come to whole ones',
      sameDay('011'),
      508,
      '0.6667',
      [
        ['0.6667', 467],
        ['0.1250', 25],
        ['0.1667', 16],
      ],
    ],
  ])('%s', (_what, past, score, rate, parts) => {
    const found = judged(past);
    expect([found.reliability_score, found.on_time_rate]).toEqual([score, rate]);
    expect(found.score_breakdown).toEqual([
      { factor: 'punctuality', value: parts[0]![0], points: parts[0]![1], of: 700 },
      { factor: 'history', value: parts[1]![0], points: parts[1]![1], of: 200 },
      { factor: 'streak', value: parts[2]![0], points: parts[2]![1], of: 100 },
    ]);
    expect(found.total_payments).toBe(past.length);
    expect(found.missed_payments).toBe(past.filter(({ status }) => status === 'failed').length);
  });

  test('a payment weighs half as much for each 182.5 days of its age', () => {
    // A miss a year ago weighs 1/4, one on time today 1: R = 1 / 1.25 = 0.8; 560 + 16.67 + 8.33 = 585
    expect(judged([payment(365, false), payment(0)]).reliability_score).toBe(585);
    // The other way round: R = 0.25 / 1.25 = 0.2; 140 + 16.67 + 0 = 156.67. A miss of today is one only tomorrow.
    const tomorrow = new Date('2026-11-22T00:00:00Z');
    expect(reliabilityOf([payment(365), payment(0, false)], PERIOD, tomorrow)!.reliability_score).toBe(157);
    // A day: 0.5^(1/182.5) = 0.99620913; R = 1 / 1.99620913 = 0.50094951; 350.66 + 16.67 + 8.33 = 375.66
    const found = judged([payment(1, false), payment(0)]);
    expect([found.reliability_score, found.score_breakdown[0]!.value]).toEqual([376, '0.5009']);
    // 73 days: 0.5^0.4 = 0.75785828; R = 1 / 1.75785828 = 0.56887407; 398.21 + 25 = 423.21
    expect(judged([payment(73, false), payment(0)]).reliability_score).toBe(423);
    // Three years: 0.5^6.005479 = 0.01556567; R = 1 / 1.01556567 = 0.98467291; 689.27 + 25 = 714.27
    expect(judged([payment(1096, false), payment(0)], periodOf(TODAY, 36)).reliability_score).toBe(714);
  });

  test('a half is rounded up, also where thirds make it', () => {
    // R = 3/4 of 12: 525; D = 12/24: 100; S = 3/12: 25
    expect(judged(sameDay('111111000111')).reliability_score).toBe(650);
    // R = 7/16: 306.25; D = 16/24: 133.33; S = 1/12: 8.33: 447.92
    expect(judged(sameDay('1111110000000001')).reliability_score).toBe(448);
    // R = 5/8: 437.5; D = 8/24: 66.67; S = 4/12: 33.33: 537.5, which is 538
    expect(judged(sameDay('10001111')).reliability_score).toBe(538);
  });
});

test('only what is concluded counts, and without anything concluded there is nothing to say', () => {
  expect(reliabilityOf([], PERIOD, NOW)).toBeUndefined();
  const cancelled = { ...payment(3), status: 'cancelled' as const };
  const returned = { ...payment(3), status: 'returned' as const };
  const failedToday = payment(0, false);
  expect(reliabilityOf([cancelled, returned, failedToday], PERIOD, NOW)).toBeUndefined();
  expect(judged([cancelled, payment(2), failedToday])).toMatchObject({ total_payments: 1, missed_payments: 0 });
});

test('the months are those that the period touches, with what was concluded in each', () => {
  const { months } = judged([payment(365), payment(30, false), payment(21), payment(20), payment(1, false)]);
  expect(months).toHaveLength(13);
  expect(months[0]).toEqual({ month: '2025-11', on_time: 1, missed: 0 });
  expect(months.at(-2)).toEqual({ month: '2026-10', on_time: 1, missed: 1 });
  expect(months.at(-1)).toEqual({ month: '2026-11', on_time: 1, missed: 1 });
  expect(judged([payment(0)], periodOf(TODAY, 36)).months).toHaveLength(37);
  expect(judged([payment(0)], periodOf('2026-11-30', 1)).months.map(({ month }) => month)).toEqual([
    '2026-10',
    '2026-11',
  ]);
});

describe('of any payments', () => {
  const pasts = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 365 }), fc.boolean()), { minLength: 1, maxLength: 40 })
    .map((days) => days.sort(([a], [b]) => b - a).map(([daysAgo, onTime]) => payment(daysAgo, onTime)));

  test('the score is from 0 to 1000, its points add up to it, and the counts to each other', () => {
    fc.assert(
      fc.property(pasts, (past) => {
        const found = judged(past);
        expect(found.reliability_score).toBeGreaterThanOrEqual(0);
        expect(found.reliability_score).toBeLessThanOrEqual(1000);
        expect(found.score_breakdown.reduce((sum, { points }) => sum + points, 0)).toBe(found.reliability_score);
        for (const { points, of } of found.score_breakdown) expect(points).toBeLessThanOrEqual(of);
        const counted = found.months.reduce((sum, { on_time, missed }) => sum + on_time + missed, 0);
        expect(counted).toBe(found.total_payments);
        expect(found.on_time_rate).toMatch(/^(0\.\d{4}|1\.0000)$/);
      }),
    );
  });

  test('one more on time never lowers the score, wherever it comes', () => {
    fc.assert(
      fc.property(pasts, fc.integer({ min: 0, max: 365 }), (past, daysAgo) => {
        const more = [...past, payment(daysAgo)].sort((a, b) => (a.due_date! < b.due_date! ? -1 : 1));
        expect(judged(more).reliability_score).toBeGreaterThanOrEqual(judged(past).reliability_score);
      }),
    );
  });

  test('missing one that was on time lowers the score', () => {
    const some = pasts.filter((past) => past.length <= 24 && past.some(({ status }) => status === 'completed'));
    fc.assert(
      fc.property(some, fc.nat(), (past, which) => {
        const onTime = past.flatMap(({ status }, place) => (status === 'completed' ? [place] : []));
        const missed = onTime[which % onTime.length]!;
        const worse = past.map((each, place) => (place === missed ? { ...each, status: 'failed' as const } : each));
        expect(judged(worse).reliability_score).toBeLessThan(judged(past).reliability_score);
      }),
    );
  });
});

test('a period ends today and begins that many months before, on a day that exists', () => {
  expect(periodText(periodOf('2026-11-21', 12))).toBe('2025-11-21 to 2026-11-21');
  expect(periodText(periodOf('2026-03-31', 1))).toBe('2026-02-28 to 2026-03-31');
  expect(periodText(periodOf('2028-02-29', 36))).toBe('2025-02-28 to 2028-02-29');
});

test('categories come in one order, and all of them where nothing is said', () => {
  expect(categoriesOf(['OTHER', 'HOUSING'])).toEqual(['HOUSING', 'OTHER']);
  expect(categoriesOf(undefined)).toEqual(PROVIDER_CATEGORIES);
});

test('a credential is valid for 90 days to the second, unless it is revoked, which it stays', () => {
  const issuedAt = issueInstant(new Date('2026-11-21T09:30:00.987Z'));
  expect(issuedAt.toISOString()).toBe('2026-11-21T09:30:00.000Z');
  const expires_at = expiryOf(issuedAt).toISOString();
  expect(expires_at).toBe('2027-02-19T09:30:00.000Z');
  const status = (revoked_at: string | null, now: string) =>
    credentialStatus({ expires_at, revoked_at }, new Date(now));
  expect(status(null, '2027-02-19T09:29:59.999Z')).toBe('valid');
  expect(status(null, '2027-02-19T09:30:00.000Z')).toBe('expired');
  expect(status('2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z')).toBe('revoked');
  expect(status('2026-11-22T00:00:00.000Z', '2027-03-01T00:00:00.000Z')).toBe('revoked');
});
