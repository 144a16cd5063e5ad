import { addDays, type CalendarDate } from '../../domain/dates.ts';
import { insuranceOn, makePay, taxOn, YEAR, type Pay } from './figures.ts';
import { seeded } from './random.ts';

/** Amounts are pence. */
export interface P60 {
  pay: Pay;
  /** The year in which the tax year ends. */
  endYear: number;
  /** Pay and tax of previous employments in the year; null if there were none. */
  previous: { pay: number; tax: number } | null;
  thisPay: number;
  thisTax: number;
  ni: number;
  /** Earnings in pounds: at the lower earnings limit, on to the primary threshold, on to the upper earnings limit. */
  niEarnings: [number, number, number];
  studentLoan: number | null;
}

/** Amounts are pence. */
export interface P45 {
  pay: Pay;
  leaving: CalendarDate;
  /** Pay and tax up to the leaving date; null for a week 1 or month 1 tax code. */
  toDate: { pay: number; tax: number } | null;
  /** Pay and tax of this employment alone; null if they equal `toDate`. */
  thisEmployment: { pay: number; tax: number } | null;
  born: CalendarDate;
}

const LOWER = 6_500;
const PRIMARY = 12_570;
const UPPER = 50_270;

export function makeP60(seed: string): P60 {
  const random = seeded(`p60:${seed}`);
  const pay = makePay(`p60:${seed}`, { frequency: 'monthly' });
  const gross = pay.salary * 100 + (random.chance(0.85) ? random.int(0, 400_000) : 0);
  const pounds = gross / 100;
  const previous = random.chance(0.25) ? { pay: random.int(200_000, 900_000), tax: random.int(0, 120_000) } : null;
  const loan = random.chance(0.3) ? Math.max(0, Math.floor((pounds - 29_385) * 0.09)) * 100 : 0;
  return {
    pay,
    endYear: Number(pay.taxYear.slice(0, 4)) + 1,
    previous,
    thisPay: gross,
    thisTax: taxOn(gross, pay.taxCode, YEAR),
    ni: insuranceOn(gross, pay.niLetter, YEAR),
    niEarnings: [
      Math.floor(Math.min(pounds, LOWER)),
      Math.floor(Math.max(0, Math.min(pounds, PRIMARY) - LOWER)),
      Math.floor(Math.max(0, Math.min(pounds, UPPER) - PRIMARY)),
    ],
    studentLoan: loan > 0 ? loan : null,
  };
}

export function makeP45(seed: string): P45 {
  const random = seeded(`p45:${seed}`);
  const pay = makePay(`p45:${seed}`, {});
  const own = { pay: pay.ytd.gross, tax: Math.max(0, pay.ytd.tax) };
  const other = random.chance(0.3) ? { pay: random.int(150_000, 700_000), tax: random.int(10_000, 90_000) } : null;
  const cumulative = !pay.taxCode.includes(' ');
  return {
    pay,
    leaving: addDays(pay.payDate, -random.int(0, 3)),
    toDate: cumulative ? { pay: own.pay + (other?.pay ?? 0), tax: own.tax + (other?.tax ?? 0) } : null,
    thisEmployment: other || !cumulative ? own : null,
    born: `${random.int(1960, 2004)}-${String(random.int(1, 12)).padStart(2, '0')}-${String(random.int(1, 28)).padStart(2, '0')}`,
  };
}

/** The correct ways to write the last tax week or month. */
export function lastEntryNames({ period, frequency }: Pay): string[] {
  const word = frequency === 'monthly' ? 'Month' : 'Week';
  return [`${period}`, `${word} ${period}`, `${word} number ${period}`, `Tax ${word.toLowerCase()} ${period}`];
}

/** `also` lists other correct ways to write the period. */
export function leaverTruth({ pay, leaving }: P45, printed: string, also: string[]) {
  return {
    pay_period: printed,
    pay_period_also: also,
    pay_date: leaving,
    tax_code: pay.taxCode.split(' ')[0]!,
    paye_reference: pay.employer.payeReference,
    ni_number: pay.employee.niNumber,
  };
}
