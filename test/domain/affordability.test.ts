import fc from 'fast-check';
import { assess, ESSENTIAL_CATEGORIES, isEssential, monthlyEquivalent, standing } from '../../domain/affordability.ts';
import { FREQUENCIES, type Finances, type Frequency } from '../../domain/finances.ts';
import { MAX_AMOUNT, pence } from '../../domain/money.ts';
import { PAYEE_CATEGORIES, type PayeeCategory } from '../../domain/payments.ts';

const finances = (
  before: number,
  buffer: number,
  pays: readonly number[],
  [onTime, concluded]: readonly [number, number] = [0, 0],
): Finances => ({
  safeToSpend: pence(before),
  buffer: pence(buffer),
  grossPays: pays.map(pence),
  incomeBasis: 'payslip',
  payments: { concluded, onTime, missed: concluded - onTime },
});
const check = (owner: Finances, amount: number, frequency: Frequency, category: PayeeCategory | null = null) =>
  assess(owner, { amount: pence(amount), frequency, category });

const pay = fc.integer({ min: 1, max: 1_000_000 });
const owners = fc
  .record({
    before: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 500_000 })),
    buffer: fc.integer({ min: 0, max: 100_000 }),
    pays: fc.array(pay, { minLength: 1, maxLength: 6 }),
    concluded: fc.nat(40),
    late: fc.nat(40),
  })
  .map(({ before, buffer, pays, concluded, late }) =>
    finances(before, buffer, pays, [concluded - Math.min(late, concluded), concluded]),
  );
const purchases = fc.record({
  owner: owners,
  frequency: fc.constantFrom(...FREQUENCIES),
  category: fc.constantFrom(null, ...PAYEE_CATEGORIES),
});

describe('monthlyEquivalent', () => {
  test.each([
    [2_500, 'WEEKLY', 10_833],
    [4_500, 'MONTHLY', 4_500],
    [10_000, 'QUARTERLY', 3_333],
    [10_000, 'ANNUAL', 833],
    [3, 'WEEKLY', 13],
    [6, 'ANNUAL', 1],
    [5, 'ANNUAL', 0],
    [2, 'QUARTERLY', 1],
    [1, 'QUARTERLY', 0],
    [MAX_AMOUNT, 'WEEKLY', 433_333_333_333],
  ] as const)('%i %s is %i a month', (amount, frequency, monthly) => {
    expect(monthlyEquivalent(pence(amount), frequency)).toBe(monthly);
  });
});

describe('assess', () => {
  const SIX = [300_000, 310_000, 290_000, 300_000, 305_000, 295_000];
  // Calculated by hand in fractions, not by the tested code.
  test.each([
    [finances(150_000, 30_000, [300_000]), 4_500, 'MONTHLY', null, 83, true, 96_818],
    [finances(150_000, 30_000, [300_000, 300_000]), 15_000, 'WEEKLY', null, 71, true, 28_636],
    [finances(150_000, 15_000, [300_000, 240_000, 330_000], [17, 20]), 60_000, 'MONTHLY', 'HOUSING', 71, true, 119_780],
    [finances(0, 30_000, [300_000], [5, 5]), 100, 'MONTHLY', 'HOUSING', 40, false, 0],
    [finances(1_000, 30_000, [300_000, 300_000], [1, 1]), 2_000, 'MONTHLY', 'CREDIT', 50, false, 1_000],
    [finances(100, 0, [100_000, 300_000], [1, 4]), 100, 'ANNUAL', 'TELECOMS', 63, true, 389],
    [finances(130_000, 30_000, SIX, [14, 14]), 90_000, 'QUARTERLY', 'SAVINGS', 87, true, 355_039],
    [finances(99_999, 12_345, [234_567, 198_765], [5, 7]), 33_333, 'MONTHLY', 'OTHER', 70, true, 70_698],
  ] as const)(
    '%j paying %i %s for %s scores %i, affordable: %s, at most %i',
    (owner, amount, frequency, category, ...said) => {
      const { score, affordable, largest_affordable_amount } = check(owner, amount, frequency, category);
      expect([score, affordable, largest_affordable_amount]).toEqual(said);
    },
  );

  test('returns the whole check, with reasons by weight', () => {
    const owner = finances(150_000, 15_000, [300_000, 240_000, 330_000], [17, 20]);
    expect(check(owner, 60_000, 'MONTHLY', 'HOUSING')).toEqual({
      monthly_equivalent: 60_000,
      affordable: true,
      score: 71,
      confidence: 0.71,
      impact: { safe_to_spend_before: 150_000, safe_to_spend_after: 90_000, reduction_percentage: 40 },
      factors: [
        { name: 'headroom', value: '0.6000', weight: '0.55' },
        { name: 'stability', value: '0.8710', weight: '0.20' },
        { name: 'cushion', value: '0.5000', weight: '0.15' },
        { name: 'punctuality', value: '0.8500', weight: '0.10' },
      ],
      largest_affordable_amount: 119_780,
      reasons: [
        {
          code: 'uses-share-of-safe-to-spend',
          ...{ monthly_equivalent: 60_000, safe_to_spend_after: 90_000, share: '0.4000' },
        },
        { code: 'income-varies', income_basis: 'payslip', paychecks: 3, variation: '0.1290' },
        { code: 'buffer-below-tenth-of-pay', buffer: 15_000, tenth_of_pay: 30_000, shortfall: 15_000 },
        { code: 'payments-missed', concluded: 20, missed: 3 },
        { code: 'essential-category', category: 'HOUSING', points: 5 },
      ],
      recommendation:
        'The purchase costs £600.00 a month. According to the figures on record, this looks affordable. The score is 71 out of 100. ' +
        'Of the £1,500.00 that is safe to spend now, £900.00 would be left. This is guidance, not a lending decision.',
    });
  });

  test.each([
    [
      150_000,
      'Of the £1,500.00 that will be safe to spend on 29 November 2026, the lowest day ahead, £900.00 would be left.',
    ],
    [
      50_000,
      'That is £100.00 more than the £500.00 that will be safe to spend on 29 November 2026, the lowest day ahead.',
    ],
    [0, 'Nothing will be safe to spend on 29 November 2026.'],
  ])('with an outlook, the lowest day of which has %i, says that day', (before, sentence) => {
    const { impact, recommendation } = check(
      { ...finances(before, 0, [300_000]), lowestOn: '2026-11-29' },
      ...([60_000, 'MONTHLY'] as const),
    );
    expect(impact).toMatchObject({ safe_to_spend_before: before, lowest_on: '2026-11-29' });
    expect(recommendation).toContain(sentence);
  });

  test.each([
    [finances(100, 0, [1_000]), 200, 'exceeds-safe-to-spend'],
    [finances(100, 0, [1_000]), 100, 'leaves-nothing'],
    [finances(0, 0, [1_000]), 100, 'nothing-safe-to-spend'],
    [finances(100, 0, [1_000]), 99, 'uses-share-of-safe-to-spend'],
    [finances(100, 0, [1_000]), 10, 'too-few-paychecks'],
    [finances(100, 0, [1_000, 1_000]), 10, 'income-steady'],
    [finances(100, 100, [1_000]), 10, 'buffer-covers-tenth-of-pay'],
    [finances(100, 99, [1_000]), 10, 'buffer-below-tenth-of-pay'],
    [finances(100, 0, [1_000]), 10, 'no-payments-concluded'],
    [finances(100, 0, [1_000], [3, 3]), 10, 'payments-on-time'],
  ])('%j paying %i a month: %s', (owner, amount, code) => {
    expect(check(owner, amount, 'MONTHLY').reasons.map((reason) => reason.code)).toContain(code);
  });

  test.each([
    [finances(0, 0, [1]), 100, 100],
    [finances(300, 0, [1]), 100, 33.33],
    [finances(800, 0, [1]), 1, 0.13],
    [finances(100, 0, [1]), 250, 250],
  ])('%j less %i is less by %f percent', (owner, amount, percentage) => {
    expect(check(owner, amount, 'MONTHLY').impact.reduction_percentage).toBe(percentage);
  });

  test.each([
    [1, 0, 0.48],
    [1, 1, 0.49],
    [2, 0, 0.56],
    [5, 7, 0.84],
    [6, 0, 0.88],
    [6, 14, 0.95],
    [6, 500, 0.95],
  ])('%i paychecks and %i payments give a confidence of %f', (paychecks, concluded, confidence) => {
    const owner = finances(100, 0, Array<number>(paychecks).fill(1_000), [concluded, concluded]);
    expect(check(owner, 10, 'MONTHLY').confidence).toBe(confidence);
  });

  test('a sum of exactly one half rounds up, although its parts are repeating decimals', () => {
    // Weights times values: 55 x 1/3 + 20 x 1/2 + 15 x 1/18 + 10 x 1/3 = 32.5. With 10 x 5/6 at the end: 37.5.
    expect(check(finances(3, 5, [900], [1, 3]), 2, 'MONTHLY').score).toBe(33);
    expect(check(finances(3, 5, [900], [5, 6]), 2, 'MONTHLY').score).toBe(38);
  });

  test('points that do not depend on money are the same for any amount', () => {
    const owner = finances(0, 100_000, [1_000, 1_000], [9, 9]);
    expect(check(owner, MAX_AMOUNT, 'WEEKLY', 'HOUSING')).toMatchObject({
      score: 50,
      affordable: false,
      impact: { safe_to_spend_after: -433_333_333_333, reduction_percentage: 100 },
    });
  });

  test('essential categories get five points, up to 100 in total', () => {
    const perfect = finances(1_000_000, 1_000_000, [1_000, 1_000], [5, 5]);
    const plain = finances(1_000, 0, [1_000], [1, 2]);
    for (const category of PAYEE_CATEGORIES) {
      const more = check(plain, 300, 'MONTHLY', category).score - check(plain, 300, 'MONTHLY').score;
      expect({ category, more }).toEqual({ category, more: ESSENTIAL_CATEGORIES.includes(category) ? 5 : 0 });
      expect(check(perfect, 1, 'MONTHLY', category).score).toBe(100);
    }
    expect(isEssential(null)).toBe(false);
  });

  test('a higher amount never scores higher, and is affordable up to the largest affordable amount', () => {
    fc.assert(
      fc.property(purchases, fc.nat(600_000), fc.nat(600_000), ({ owner, frequency, category }, a, b) => {
        const [lower, higher] = [Math.min(a, b), Math.max(a, b)].map((amount) =>
          check(owner, amount, frequency, category),
        );
        expect(higher!.score).toBeLessThanOrEqual(lower!.score);
        expect(Number(higher!.affordable)).toBeLessThanOrEqual(Number(lower!.affordable));
        const most = lower!.largest_affordable_amount;
        expect(higher!.largest_affordable_amount).toBe(most);
        if (most > 0) expect(check(owner, most, frequency, category).affordable).toBe(true);
        if (most < MAX_AMOUNT) expect(check(owner, most + 1, frequency, category).affordable).toBe(false);
      }),
    );
  });

  test('the largest affordable amount of small sums equals a search over all amounts', () => {
    const small = purchases.filter(({ owner, frequency }) => owner.safeToSpend <= 60 && frequency !== 'ANNUAL');
    fc.assert(
      fc.property(small, ({ owner, frequency, category }) => {
        const amounts = Array.from({ length: 190 }, (_, index) => index + 1);
        const affordable = amounts.filter((amount) => check(owner, amount, frequency, category).affordable);
        expect(check(owner, 1, frequency, category).largest_affordable_amount).toBe(affordable.at(-1) ?? 0);
      }),
      { numRuns: 25 },
    );
  });

  test('the largest affordable amount never exceeds the limit of a request', () => {
    const rich = finances(9_000_000_000_000_000, MAX_AMOUNT, [MAX_AMOUNT]);
    expect(check(rich, 1, 'ANNUAL').largest_affordable_amount).toBe(MAX_AMOUNT);
  });

  test('stays within its bounds, and says in pounds and pence that it is guidance', () => {
    fc.assert(
      fc.property(purchases, fc.integer({ min: 1, max: MAX_AMOUNT }), ({ owner, frequency, category }, amount) => {
        const checked = check(owner, amount, frequency, category);
        const { score, confidence, factors, impact, monthly_equivalent, recommendation } = checked;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        expect(confidence).toBeGreaterThanOrEqual(0.48);
        expect(confidence).toBeLessThanOrEqual(0.95);
        for (const { value } of factors) expect(value).toMatch(/^(0\.\d{4}|1\.0000)$/);
        expect(impact.safe_to_spend_before - monthly_equivalent).toBe(impact.safe_to_spend_after);
        expect(recommendation).toMatch(/This is guidance, not a lending decision\.$/);
        for (const [sum] of recommendation.matchAll(/£[\d,.]*\d/g)) expect(sum).toMatch(/^£\d{1,3}(,\d{3})*\.\d\d$/);
      }),
    );
  });
});

describe('the recommendation', () => {
  const said = (owner: Finances, amount: number, frequency: Frequency, category: PayeeCategory | null = null) =>
    check(owner, amount, frequency, category).recommendation;
  const ADVICE = /MoneyHelper \(moneyhelper\.org\.uk\)/;

  test('states the excess and an affordable amount', () => {
    const text = said(finances(123_456, 30_000, [300_000]), 200_000, 'WEEKLY');
    expect(text).toContain('The purchase costs £8,666.67 a month.');
    expect(text).toContain('this does not look affordable');
    expect(text).toContain('£7,432.11 more than the £1,234.56 that is safe to spend now');
    expect(text).toMatch(/The largest affordable amount is £\d+\.\d\d a week\./);
    expect(text).not.toMatch(ADVICE);
  });

  test('links to free debt advice if essentials are not covered', () => {
    expect(said(finances(100, 0, [1_000]), 5_000, 'MONTHLY', 'HOUSING')).toMatch(ADVICE);
    expect(said(finances(0, 0, [1_000]), 5, 'MONTHLY')).toMatch(ADVICE);
    expect(said(finances(100_000, 0, [1_000]), 5, 'MONTHLY', 'HOUSING')).not.toMatch(ADVICE);
  });
});

test('an owner’s own score is the score of a purchase of £0', () => {
  fc.assert(
    fc.property(owners, (owner) => {
      const { score, confidence, factors } = check(owner, 0, 'MONTHLY');
      expect(standing(owner)).toEqual({ score, confidence, factors });
    }),
  );
});
