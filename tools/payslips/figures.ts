import { addDays, addMonths, type CalendarDate } from '../../domain/dates.ts';
import { employee, employer, type Employee, type Employer } from './names.ts';
import { seeded, type Random } from './random.ts';

export type Kind =
  | 'basic' | 'hours' | 'overtime' | 'bonus' | 'commission' | 'holiday' | 'sick' | 'shift' | 'car' | 'weighting' | 'arrears' | 'sacrifice'
  | 'tax' | 'ni' | 'pension' | 'avc' | 'student-loan' | 'postgraduate-loan' | 'union' | 'charity' | 'ticket' | 'advance' | 'attachment' | 'healthcare'; // prettier-ignore

/** Amounts are pence. A deduction is positive; a refund of tax is negative. */
export interface Line {
  kind: Kind;
  amount: number;
  ytd: number;
  /** The number of hours, for hourly pay. */
  units?: number;
  /** In pence an hour, with up to two decimal places. */
  rate?: number;
}

export type Frequency = 'weekly' | 'fortnightly' | '4-weekly' | 'monthly';

/** A payslip's content, without a layout. Amounts are pence. */
export interface Pay {
  employer: Employer;
  employee: Employee;
  frequency: Frequency;
  /** The tax week or month of the pay date. */
  period: number;
  /** In the form "2026-27". */
  taxYear: string;
  payDate: CalendarDate;
  from: CalendarDate;
  to: CalendarDate;
  taxCode: string;
  niLetter: string;
  payments: Line[];
  deductions: Line[];
  gross: number;
  totalDeductions: number;
  net: number;
  tax: number;
  ni: number;
  /** The employee's contribution; null without a pension. */
  pension: number | null;
  taxable: number;
  niable: number;
  employerNi: number;
  employerPension: number;
  /** In pounds a year. */
  salary: number;
  ytd: { gross: number; taxable: number; niable: number; tax: number; ni: number; pension: number; employerNi: number; employerPension: number; net: number; deductions: number }; // prettier-ignore
}

interface Scheme {
  /** Periods in a year, and weeks in a period (0 for months and for a whole year). */
  periods: number;
  weeks: number;
  /** National Insurance thresholds in pounds a period: primary, upper, secondary. */
  primary: number;
  upper: number;
  secondary: number;
}

export const SCHEMES: Record<Frequency, Scheme> = {
  weekly: { periods: 52, weeks: 1, primary: 242, upper: 967, secondary: 96 },
  fortnightly: { periods: 26, weeks: 2, primary: 484, upper: 1934, secondary: 193 },
  '4-weekly': { periods: 13, weeks: 4, primary: 967, upper: 3867, secondary: 385 },
  monthly: { periods: 12, weeks: 0, primary: 1048, upper: 4189, secondary: 417 },
};

export const YEAR: Scheme = { periods: 1, weeks: 0, primary: 12_570, upper: 50_270, secondary: 5_000 };

type Bands = readonly (readonly [number, number])[];
const UK: Bands = [[37_700, 0.2], [125_140, 0.4], [Infinity, 0.45]]; // prettier-ignore
const SCOTLAND: Bands = [[3_967, 0.19], [16_956, 0.2], [31_092, 0.21], [62_430, 0.42], [125_140, 0.45], [Infinity, 0.48]]; // prettier-ignore

export interface PayOptions {
  sector?: Employer['sector'];
  frequency?: Frequency;
  /** The maximum number of lines in a column of the layout. */
  rows?: number;
  hourly?: boolean;
  /** The probability of a tax refund; 0.03 by default. */
  refunds?: number;
}

export function makePay(seed: string, options: PayOptions = {}): Pay {
  const random = seeded(`pay:${seed}`);
  const frequency = options.frequency ?? random.weighted([['monthly', 60], ['weekly', 15], ['fortnightly', 8], ['4-weekly', 17]] as const); // prettier-ignore
  const scheme = SCHEMES[frequency];
  const terms = termsOf(random, options, scheme);
  const when = datesOf(random, frequency, scheme);
  const count = frequency === 'monthly' ? when.period : Math.ceil(when.period / scheme.weeks);
  const worked = random.chance(0.08) ? 1 : random.chance(0.2) ? random.int(1, count) : count;
  const earlier: Period[] = [];
  for (let n = 1; n < worked; n++) earlier.push(onePeriod(random, terms, scheme, false));
  const current = onePeriod(random, terms, scheme, true);
  if (earlier.length > 0 && random.chance(options.refunds ?? 0.03)) refund(random, current);
  const all = [...earlier, current];
  const total = (of: (period: Period) => number) => all.reduce((sum, period) => sum + of(period), 0);
  const totals = (kind: Kind) => total((period) => find(period, kind));
  const withYtd = (line: Line) => ({ ...line, ytd: totals(line.kind) });
  return {
    employer: terms.employer,
    employee: employee(random),
    frequency,
    ...when,
    taxCode: terms.taxCode,
    niLetter: terms.niLetter,
    payments: current.payments.map(withYtd),
    deductions: current.deductions.map(withYtd),
    gross: grossOf(current),
    totalDeductions: deductedFrom(current),
    net: grossOf(current) - deductedFrom(current),
    tax: find(current, 'tax'),
    ni: find(current, 'ni'),
    pension: terms.pensionRate === 0 ? null : find(current, 'pension') + find(current, 'avc'),
    taxable: current.taxable,
    niable: grossOf(current),
    employerNi: current.employerNi,
    employerPension: current.employerPension,
    salary: terms.salary,
    ytd: {
      gross: total(grossOf),
      taxable: total((period) => period.taxable),
      niable: total(grossOf),
      tax: totals('tax'),
      ni: totals('ni'),
      pension: totals('pension') + totals('avc'),
      employerNi: total((period) => period.employerNi),
      employerPension: total((period) => period.employerPension),
      net: total((period) => grossOf(period) - deductedFrom(period)),
      deductions: total(deductedFrom),
    },
  };
}

interface Period {
  payments: Line[];
  deductions: Line[];
  taxable: number;
  employerNi: number;
  employerPension: number;
}

const grossOf = (period: Period) => period.payments.reduce((sum, line) => sum + line.amount, 0);
const deductedFrom = (period: Period) => period.deductions.reduce((sum, line) => sum + line.amount, 0);
const find = (period: Period, kind: Kind) =>
  [...period.payments, ...period.deductions].reduce((sum, line) => sum + (line.kind === kind ? line.amount : 0), 0);

interface Terms {
  employer: Employer;
  salary: number;
  /** In pence; null for a salary. */
  hourly: number | null;
  hours: number;
  taxCode: string;
  niLetter: string;
  pensionRate: number;
  employerPensionRate: number;
  /** Whether the pension contribution is deducted before tax is calculated. */
  netPay: boolean;
  avc: number;
  extras: Kind[];
  others: Kind[];
  otherAmounts: ReadonlyMap<Kind, number>;
}

function termsOf(random: Random, options: PayOptions, scheme: Scheme): Terms {
  const who = employer(random, options.sector);
  const publicBody = who.sector === 'nhs' || who.sector === 'council';
  const isHourly = options.hourly !== false && random.chance(scheme.weeks > 0 ? 0.6 : 0.2);
  const salary = random.weighted<() => number>([[() => random.int(12_800, 24_000), 2], [() => random.int(24_000, 45_000), 6], [() => random.int(45_000, 98_000), 2]])(); // prettier-ignore
  const pensionRate = random.chance(0.15) ? 0 : publicBody ? random.pick([5.2, 6.5, 7.1, 8.3, 9.8]) : random.pick([3, 4, 5, 5, 5, 6, 8]); // prettier-ignore
  const rows = options.rows ?? 8;
  const extras = random.some<Kind>(['overtime', 'bonus', 'commission', 'holiday', 'sick', 'shift', 'car', 'weighting', 'arrears', 'sacrifice'], random.weighted([[0, 3], [1, 4], [2, 3], [3, 2], [4, 1]])); // prettier-ignore
  const others = random.some<Kind>(['student-loan', 'postgraduate-loan', 'union', 'charity', 'ticket', 'advance', 'attachment', 'healthcare'], random.weighted([[0, 4], [1, 4], [2, 2], [3, 1]])); // prettier-ignore
  const amounts: [Kind, number][] = [['union', random.int(350, 1_995)], ['charity', random.int(2, 20) * 100], ['ticket', random.int(8_000, 32_000)], ['advance', random.int(20, 150) * 100], ['attachment', random.int(2_000, 9_000)], ['healthcare', random.int(450, 6_000)]]; // prettier-ignore
  return {
    employer: who,
    salary,
    hourly: isHourly ? random.int(1_250, 2_600) : null,
    hours: random.pick([37.5, 40, 35, 36, 30, 24, 22.5]),
    taxCode: random.weighted<() => string>([
      [() => '1257L', 50], [() => `${random.int(900, 1400)}L`, 12], [() => `${random.int(1000, 1399)}T`, 3], [() => '1257L M1', 6],
      [() => 'BR', 5], [() => `K${random.int(20, 480)}`, 4], [() => '0T', 2], [() => 'S1257L', 6], [() => 'C1257L', 6], [() => '1383M', 3], [() => '1131N', 3],
    ])(), // prettier-ignore
    niLetter: random.weighted([
      ['A', 88],
      ['M', 4],
      ['C', 3],
      ['H', 3],
      ['B', 2],
    ] as const),
    pensionRate,
    employerPensionRate: publicBody ? random.pick([14.3, 19.4, 23.7]) : random.pick([3, 3, 4, 5, 6]),
    netPay: publicBody || random.chance(0.4),
    avc: pensionRate > 0 && random.chance(0.12) ? random.int(20, 150) * 100 : 0,
    extras: extras.slice(0, rows - 1),
    others: others.slice(0, Math.max(0, rows - 4)),
    otherAmounts: new Map(amounts),
  };
}

function onePeriod(random: Random, terms: Terms, scheme: Scheme, current: boolean): Period {
  const payments: Line[] = [];
  const add = (kind: Kind, amount: number, units?: number, rate?: number) =>
    payments.push({ kind, amount, ytd: 0, ...(units !== undefined && { units }), ...(rate !== undefined && { rate }) });
  if (terms.hourly === null) add('basic', Math.round((terms.salary * 100) / scheme.periods));
  else {
    const usual = scheme.weeks > 0 ? terms.hours * scheme.weeks : (terms.hours * 52) / 12;
    const units = Math.round((usual + random.int(-6, 6)) * 4) / 4;
    add('hours', Math.round(units * terms.hourly), units, terms.hourly);
  }
  const base = payments[0]!.amount;
  const rate = terms.hourly ?? Math.round((terms.salary * 100) / (52 * terms.hours));
  for (const kind of terms.extras) {
    if (!current && kind !== 'car' && kind !== 'weighting' && kind !== 'sacrifice' && random.chance(0.6)) continue;
    extra(kind);
  }
  return settle(terms, scheme, payments);

  function extra(kind: Kind): void {
    const units = random.int(4, 60) / 4;
    if (kind === 'overtime') add(kind, Math.round(units * Math.round(rate * 1.5)), units, Math.round(rate * 1.5));
    else if (kind === 'holiday') add(kind, Math.round(units * rate), units, rate);
    else if (kind === 'shift') add(kind, Math.round(base * random.between(0.03, 0.12)));
    else if (kind === 'sick') add(kind, 2375 * random.int(1, 5));
    else if (kind === 'car') add(kind, Math.round(base * 0.09));
    else if (kind === 'weighting') add(kind, Math.round(350_000 / scheme.periods));
    else if (kind === 'sacrifice') add(kind, -Math.round(base * 0.03) - 417);
    else add(kind, random.int(1_500, Math.max(2_000, Math.round(base * 0.3))));
  }
}

function settle(terms: Terms, scheme: Scheme, payments: Line[]): Period {
  const gross = payments.reduce((sum, line) => sum + line.amount, 0);
  const pension = Math.round((gross * terms.pensionRate) / 100);
  const taxable = gross - (terms.netPay ? pension + terms.avc : 0);
  const deductions: Line[] = [
    { kind: 'tax', amount: taxOn(taxable, terms.taxCode, scheme), ytd: 0 },
    { kind: 'ni', amount: insuranceOn(gross, terms.niLetter, scheme), ytd: 0 },
  ];
  if (terms.pensionRate > 0) deductions.push({ kind: 'pension', amount: pension, ytd: 0 });
  if (terms.avc > 0) deductions.push({ kind: 'avc', amount: terms.avc, ytd: 0 });
  for (const kind of terms.others) {
    const amount = otherDeduction(kind, gross, terms, scheme);
    if (amount > 0) deductions.push({ kind, amount, ytd: 0 });
  }
  return {
    payments,
    deductions,
    taxable,
    employerNi: Math.max(0, Math.round((gross - scheme.secondary * 100) * 0.15)),
    employerPension: terms.pensionRate > 0 ? Math.round((gross * terms.employerPensionRate) / 100) : 0,
  };
}

function otherDeduction(kind: Kind, gross: number, terms: Terms, scheme: Scheme): number {
  // Student loans are deducted in whole pounds.
  const above = (threshold: number, rate: number) =>
    Math.max(0, Math.floor(((gross - (threshold * 100) / scheme.periods) * rate) / 100) * 100);
  if (kind === 'student-loan') return above(29_385, 0.09);
  if (kind === 'postgraduate-loan') return above(21_000, 0.06);
  const monthly = terms.otherAmounts.get(kind) ?? 0;
  return Math.min(Math.round((monthly * 12) / scheme.periods), Math.round(gross * 0.12));
}

/** In pence. Tax is on the whole pounds above the allowance. */
export function taxOn(taxable: number, code: string, scheme: Scheme): number {
  if (code === 'BR') return Math.floor(taxable / 100) * 20;
  const number = Number(/\d+/.exec(code)?.[0] ?? 0);
  const allowance = code.startsWith('K') ? -number * 10 : number === 0 ? 0 : number * 10 + 9;
  let left = Math.max(0, Math.floor(taxable / 100 - allowance / scheme.periods));
  let tax = 0;
  let below = 0;
  for (const [upTo, rate] of code.startsWith('S') ? SCOTLAND : UK) {
    const part = Math.min(left, (upTo - below) / scheme.periods);
    tax += part * rate;
    left -= part;
    below = upTo;
    if (left <= 0) break;
  }
  return Math.floor(tax * 100);
}

/** In pence. */
export function insuranceOn(gross: number, letter: string, scheme: Scheme): number {
  if (letter === 'C') return 0;
  const main = Math.max(0, Math.min(gross, scheme.upper * 100) - scheme.primary * 100);
  const upper = Math.max(0, gross - scheme.upper * 100);
  return Math.round(main * (letter === 'B' ? 0.0185 : 0.08) + upper * 0.02);
}

function refund(random: Random, period: Period): void {
  const tax = period.deductions[0]!;
  if (tax.amount > 0) tax.amount = -random.int(500, Math.max(600, tax.amount));
}

interface When {
  period: number;
  taxYear: string;
  payDate: CalendarDate;
  from: CalendarDate;
  to: CalendarDate;
}

function datesOf(random: Random, frequency: Frequency, scheme: Scheme): When {
  const year = random.weighted([[2024, 2], [2025, 4], [2026, 4]]); // prettier-ignore
  const taxYear = `${year}-${String((year + 1) % 100).padStart(2, '0')}`;
  if (frequency === 'monthly') {
    const period = random.int(1, 12);
    const from = addMonths(`${year}-04-01`, period - 1);
    const last = addDays(addMonths(from, 1), -1);
    const day = random.pick([15, 20, 23, 25, 26, 27, 28, 0, 0, 0]);
    return { period, taxYear, payDate: day === 0 ? last : addDays(from, day - 1), from, to: last };
  }
  const runs = Math.floor(52 / scheme.weeks);
  const period = random.int(1, runs) * scheme.weeks;
  const start = addDays(`${year}-04-06`, 7 * (period - 1));
  const weekday = new Date(`${start}T12:00:00Z`).getUTCDay();
  const payDate = addDays(start, (5 - weekday + 7) % 7);
  const to = addDays(payDate, -random.pick([0, 5]));
  return { period, taxYear, payDate, from: addDays(to, 1 - 7 * scheme.weeks), to };
}
