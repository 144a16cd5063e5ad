import { daysOfPeriod } from '../../domain/legacy/period-days.ts';
import { pence } from '../../domain/money.ts';
import {
  assertedDifference,
  evidenceOf,
  requireRevisable,
  requireSpentEvidenced,
  requireWithinIncomeLimits,
  type IncomeEvidence,
} from '../../domain/paycheck/evidence.ts';
import { refusalOf } from '../helpers/refusal.ts';

const NOVEMBER = { from: '2026-11-01', to: '2026-11-30' };

test.each([
  ['a key that may assert', { mayAssert: true }, 'asserted'],
  ['anybody else', {}, 'stated'],
  ['a wage at the bank, even from a key that may assert', { isWage: true, mayAssert: true }, 'bank'],
  ['a document of the period', { isFromDocument: true, period: NOVEMBER }, 'payslip'],
  [
    'a document, even from a key that may assert',
    { isFromDocument: true, period: NOVEMBER, mayAssert: true },
    'payslip',
  ],
  ['the first day of the period', { isFromDocument: true, period: NOVEMBER, payDate: '2026-11-01' }, 'payslip'],
  ['the last day of the period', { isFromDocument: true, period: NOVEMBER, payDate: '2026-11-30' }, 'payslip'],
  ['the day before the period', { isFromDocument: true, period: NOVEMBER, payDate: '2026-10-31' }, 'stated'],
  ['the day after the period', { isFromDocument: true, period: NOVEMBER, payDate: '2026-12-01' }, 'stated'],
  ['a document without a period', { isFromDocument: true }, 'stated'],
  ['a document that another pay date used', { isFromDocument: true, period: NOVEMBER, documentUsed: true }, 'stated'],
])('the income of %s is %p: %s', (_name, given, evidence) => {
  const usual = { mayAssert: false, isWage: false, isFromDocument: false, period: null, documentUsed: false };
  expect(evidenceOf({ ...usual, payDate: '2026-11-24', ...given })).toBe(evidence);
});

describe('a revision', () => {
  const revise = (was: { evidence: IncomeEvidence; hasEarned: boolean }, grossPay: number, mayAssert: boolean) => () =>
    requireRevisable({ grossIncome: pence(1_000) }, was, { grossPay: pence(grossPay), mayAssert, wage: null });

  test.each([
    ['asserted', false, 1_000, false, 'paycheck-asserted'],
    ['asserted', true, 999, false, 'paycheck-asserted'],
    ['asserted', false, 1, true, null],
    ['asserted', true, 999, true, 'paycheck-already-accrued'],
    ['asserted', true, 1_000, true, null],
    ['stated', false, 1, false, null],
    ['stated', true, 999, false, 'paycheck-already-accrued'],
    ['stated', true, 1_001, false, null],
    ['payslip', true, 999, true, 'paycheck-already-accrued'],
  ] as const)(
    'of %s income, earned interest: %p, to %i of 1,000 pence, asserting: %p: %p',
    (evidence, hasEarned, to, may, code) => {
      const revised = revise({ evidence, hasEarned }, to, may);
      if (code === null) expect(revised).not.toThrow();
      else expect(refusalOf(revised)).toMatchObject({ code });
    },
  );

  test.each([
    ['stated', false, 1_000, false, null],
    ['payslip', false, 1_001, false, null],
    ['bank', false, 1_000, false, null],
    ['stated', false, 999, false, 'wage-below-paycheck'],
    ['payslip', true, 999, false, 'wage-below-paycheck'],
    ['payslip', false, 1, true, null],
    ['stated', true, 999, true, 'paycheck-already-accrued'],
    ['asserted', false, 1_001, true, 'paycheck-asserted'],
    ['asserted', false, 999, false, 'paycheck-asserted'],
  ] as const)(
    'of %s income, earned interest: %p, to a wage of %i of 1,000 pence that the person named here: %p: %p, even by a key that may assert',
    (evidence, hasEarned, to, ownSignIn, code) => {
      const given = { grossPay: pence(to), mayAssert: true, wage: { ownSignIn } };
      const revised = () => requireRevisable({ grossIncome: pence(1_000) }, { evidence, hasEarned }, given);
      if (code === null) expect(revised).not.toThrow();
      else expect(refusalOf(revised)).toMatchObject({ code });
    },
  );

  test('of nothing is a first calculation', () => {
    const first = () =>
      requireRevisable(
        null,
        { evidence: null, hasEarned: false },
        { grossPay: pence(1), mayAssert: false, wage: null },
      );
    expect(first).not.toThrow();
  });
});

test.each([
  ['asserted', 500, null, 0, 500],
  ['asserted', 500, 'stated', 400, 500],
  ['asserted', 500, 'asserted', 400, 100],
  ['asserted', 300, 'asserted', 400, -100],
  ['payslip', 300, 'asserted', 400, -400],
  ['stated', 300, 'payslip', 400, 0],
] as const)('%s income of %i after %p of %i counts %i pence more', (evidence, gross, was, before, difference) => {
  const asserted = { evidence, grossIncome: pence(gross) };
  expect(assertedDifference(asserted, { evidence: was, grossIncome: pence(before) })).toBe(difference);
});

describe('a revision of an asserted income', () => {
  const revise = (evidence: IncomeEvidence, grossIncome: number, evidenced: number) => () =>
    requireSpentEvidenced({ evidence, grossIncome: pence(grossIncome) }, { evidenced, spent: 700 });

  test.each([
    ['asserted', 500, 700],
    ['stated', 500, 900],
  ] as const)('to %s income of %i is accepted if income of %i is left for 700 spent', (evidence, gross, evidenced) => {
    expect(revise(evidence, gross, evidenced)).not.toThrow();
  });

  test.each([
    ['asserted', 500, 699, { committed: 501, shortfall: 1 }],
    ['asserted', 100, 100, { committed: 700, shortfall: 600 }],
    ['payslip', 500, 650, { committed: 50, shortfall: 50 }],
  ] as const)('to %s income of %i is refused if only %i is left: %j', (evidence, gross, evidenced, extra) => {
    expect(refusalOf(revise(evidence, gross, evidenced))).toMatchObject({ code: 'paycheck-already-committed', extra });
  });
});

describe('the limits of a key', () => {
  const limits = { perOwner: 1_000, perMonth: 1_500 };
  const before = { owner: pence(400), month: pence(1_400) };

  test.each([
    [100, { owner: 500, month: 1_500 }],
    [-100, { owner: 300, month: 1_300 }],
  ])('accept %i pence more', (difference, after) => {
    expect(requireWithinIncomeLimits(before, difference, limits)).toEqual(after);
  });

  test.each([
    [{ owner: pence(400), month: pence(400) }, 601, { scope: 'owner', limit: 1_000, asserted: 400 }],
    [before, 101, { scope: 'month', limit: 1_500, asserted: 1_400 }],
  ])('refuse more, with the amount asserted so far', (sums, difference, extra) => {
    const more = () => requireWithinIncomeLimits(sums, difference, limits);
    expect(refusalOf(more)).toMatchObject({ code: 'exceeds-income-limit', extra });
  });
});

describe('the days that a document covers', () => {
  const printed = (value: string, more: object = {}) =>
    daysOfPeriod({ pay_period: { value, confidence: 1, page: 1 }, pay_date: null, tax_year: null, ...more });
  const field = <T>(value: T) => ({ value, confidence: 1, page: 1 });

  test.each([
    ['November 2026', '2026-11-01', '2026-11-30'],
    ['Nov 2026', '2026-11-01', '2026-11-30'],
    ['February 2028', '2028-02-01', '2028-02-29'],
    ['01/11/2026 - 30/11/2026', '2026-11-01', '2026-11-30'],
    ['1 May - 31 May 2025', '2025-05-01', '2025-05-31'],
    ['20 December - 19 January 2026', '2025-12-20', '2026-01-19'],
    ['30 November 2026', '2026-11-30', '2026-11-30'],
  ])('%s', (period, from, to) => {
    expect(printed(period)).toEqual({ from, to });
  });

  test.each([
    ['Month 8', '2026-11-06', '2026-12-05'],
    ['Tax month 1', '2026-04-06', '2026-05-05'],
    ['Week 1', '2026-04-06', '2026-04-12'],
    ['Wk 34', '2026-11-23', '2026-11-29'],
  ])('%s of a tax year', (period, from, to) => {
    expect(printed(period, { tax_year: field('2026-27') })).toEqual({ from, to });
  });

  test('are the pay date if it prints no period', () => {
    const reading = { pay_period: null, pay_date: field('2026-11-27'), tax_year: null };
    expect(daysOfPeriod(reading)).toEqual({ from: '2026-11-27', to: '2026-11-27' });
  });

  test.each(['Month 13', 'Week 54', 'Week 34', 'sometime'])('are unknown from %s alone', (period) => {
    expect(printed(period)).toBeNull();
  });

  test('are unknown if the last day is before the first', () => {
    expect(printed('30/11/2026 - 01/11/2026')).toBeNull();
  });
});
