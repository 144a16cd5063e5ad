import type { Decimal } from 'decimal.js';
import { billsOf, concludedPayments, type Bill, type ConcludedPayment, type CreditPayment } from './bills.ts';
import { DAY_MS, addMonths, daysBetween, longDate, monthStartOf, type CalendarDate, type Period } from './dates.ts';
import { exact, pence, ratioOf, roundHalfUp, type Ratio } from './money.ts';
import { PAYEE_CATEGORIES, type PayeeCategory } from './payments.ts';

/** `value` is 0 to 1 with four decimals. `of` is the maximum number of points. */
export interface ScorePart {
  factor: 'punctuality' | 'history' | 'streak';
  value: Ratio;
  points: number;
  of: number;
  /** The data behind the value, as text. */
  basis: string;
}

/** A payment belongs to the month of its `day`. */
export interface MonthOfPayments {
  month: string;
  on_time: number;
  missed: number;
}

export type Reliability = Extract<ReturnType<typeof reliabilityOf>, { bills: number }>;

interface ReliabilityRequest {
  past: readonly CreditPayment[];
  period: Period;
  now: Date;
}

export type CredentialStatus = 'valid' | 'expired' | 'revoked';

export const DEFAULT_PERIOD_MONTHS = 12;

export const CREDENTIAL_MEANING =
  'How reliably bills were paid in the period. The score counts payments made through this service, to payees for whom its operator or an application vouches.';

const VALID_DAYS = 90;
const HALF_LIFE_DAYS = '182.5';
/** Its whole powers are much faster than powers of 0.5, whose exponents are fractions. */
const DAILY_WEIGHT = exact('0.5').pow(exact(1).dividedBy(HALF_LIFE_DAYS));
/** How many months give full points. */
const FULL_PUNCTUALITY = 6;
const FULL_HISTORY = 12;
const FULL_STREAK = 12;
/** Rounding to this many decimals first removes division errors, so that an exact half rounds up. */
const CERTAIN_DECIMALS = 20;
const POINTS = { punctuality: 700, history: 200, streak: 100 } as const;

export function periodOf(today: CalendarDate, months: number): Period {
  return { from: addMonths(today, -months), to: today };
}

export function periodText({ from, to }: Period): string {
  return `${from} to ${to}`;
}

/** For example `22 November 2025 to 21 November 2026`. */
export function longPeriod(text: string): string {
  return text.split(' to ').map(longDate).join(' to ');
}

/** In the standard order. Without a selection, returns all categories. */
export function categoriesOf(scope: readonly PayeeCategory[] | undefined): PayeeCategory[] {
  return PAYEE_CATEGORIES.filter((category) => scope === undefined || scope.includes(category));
}

/** Tokens give times in whole seconds, so fractions are dropped. */
export function issueInstant(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 1_000) * 1_000);
}

export function expiryOf(issuedAt: Date): Date {
  return new Date(issuedAt.getTime() + VALID_DAYS * DAY_MS);
}

export function credentialStatus(
  { expires_at, revoked_at }: { expires_at: string; revoked_at: string | null },
  now: Date,
): CredentialStatus {
  if (revoked_at !== null) return 'revoked';
  return now >= new Date(expires_at) ? 'expired' : 'valid';
}

/**
 * Scores round_half_up(700 R + 200 D + 100 S), from payments to vouched payees with a final outcome at `now`.
 * - R: the share of bills on time, weighted by 0.5^(age in days / 182.5), times min(1, months with a bill / 6).
 * - D: min(1, months with a bill / 12).
 * - S: min(1, n / 12). Here n counts months in a row, back from the newest, with every bill on time.
 */
export function reliabilityOf({ past, period, now }: ReliabilityRequest) {
  const inPeriod = concludedPayments(past, now).filter(({ day }) => day >= period.from && day <= period.to);
  const counted = inPeriod.filter(({ vouched }) => vouched);
  const payments_left_out = inPeriod.length - counted.length;
  const bills = billsOf(counted);
  if (bills.length === 0) return { payments_left_out };
  const missed = counted.filter(({ onTime }) => !onTime).length;
  const days = counted.map(({ day }) => day).sort();
  const covered = { from: days[0]!, to: period.to };
  const paid = counted.filter(({ completed_at }) => completed_at !== null);
  return {
    total_payments: counted.length,
    missed_payments: missed,
    on_time_rate: ratioOf(pence(counted.length - missed), pence(counted.length)),
    bills: bills.length,
    payees: new Set(bills.map(({ account }) => account)).size,
    months_covered: monthsWithBill(bills).length,
    /** The sum of the counted payments that settled, in pence. */
    total_paid: paid.reduce((sum, { amount }) => sum + amount, 0),
    /** Concluded payments to payees for whom nobody vouches. */
    payments_left_out,
    ...scoreOf(bills, period.to),
    /** Begins with the first counted payment within the requested period. */
    period: covered,
    /** All calendar months of the period, oldest first. */
    months: monthsOf(counted, covered),
  };
}

function monthsWithBill(bills: readonly Bill[]): string[] {
  return [...new Set(bills.map(({ month }) => month))].sort().reverse();
}

function weightedRate(bills: readonly Bill[], today: CalendarDate): Decimal {
  let [onTime, all] = [exact(0), exact(0)];
  for (const [day, those] of Map.groupBy(bills, ({ on }) => on)) {
    const weight = DAILY_WEIGHT.pow(daysBetween(day, today));
    onTime = onTime.plus(weight.times(those.filter((bill) => bill.onTime).length));
    all = all.plus(weight.times(those.length));
  }
  return onTime.dividedBy(all);
}

function runOf(bills: readonly Bill[]): number {
  const late = new Set(bills.filter(({ onTime }) => !onTime).map(({ month }) => month));
  const months = monthsWithBill(bills);
  const newest = `${months[0]!}-01`;
  const end = months.findIndex((month, back) => late.has(month) || `${month}-01` !== addMonths(newest, -back));
  return end === -1 ? months.length : end;
}

function atMostOne(count: number, full: number): Decimal {
  return exact(Math.min(count, full)).dividedBy(full);
}

function scoreOf(bills: readonly Bill[], today: CalendarDate) {
  const covered = monthsWithBill(bills).length;
  const run = runOf(bills);
  const onTime = bills.filter((bill) => bill.onTime).length;
  const values = {
    punctuality: weightedRate(bills, today).times(atMostOne(covered, FULL_PUNCTUALITY)),
    history: atMostOne(covered, FULL_HISTORY),
    streak: atMostOne(run, FULL_STREAK),
  };
  const months = `${number(covered, 'month')} with a bill`;
  return pointsOf(values, {
    punctuality: `${onTime} of ${number(bills.length, 'bill')} on time, recent bills count most; ${months} (full points from ${FULL_PUNCTUALITY} months)`,
    history: `${months} (full points from ${FULL_HISTORY} months)`,
    streak: `${number(run, 'month')} in a row with every bill on time (full points from ${FULL_STREAK} months)`,
  });
}

function number(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

type OfParts<T> = Readonly<Record<ScorePart['factor'], T>>;

/** Points lost by rounding go to the parts with the largest fractions, so that the parts add up to the score. */
function pointsOf(values: OfParts<Decimal>, basis: OfParts<string>) {
  const parts = (Object.keys(POINTS) as ScorePart['factor'][]).map((factor) => {
    const points = values[factor].times(POINTS[factor]);
    const cut = points.toDecimalPlaces(CERTAIN_DECIMALS).floor();
    return { factor, points, cut: cut.toNumber(), lost: points.minus(cut).toDecimalPlaces(CERTAIN_DECIMALS) };
  });
  const sum = parts.reduce((added, { points }) => added.plus(points), exact(0));
  const score = roundHalfUp(sum.toDecimalPlaces(CERTAIN_DECIMALS));
  const short = score - parts.reduce((added, { cut }) => added + cut, 0);
  const byLoss = [...parts].sort((a, b) => b.lost.comparedTo(a.lost));
  const raised = new Set(byLoss.slice(0, short));
  return {
    /** 0 to 1000: the sum of the points in `score_breakdown`. */
    reliability_score: score as number,
    score_breakdown: parts.map((part): ScorePart => {
      const { factor, cut } = part;
      const points = cut + (raised.has(part) ? 1 : 0);
      return { factor, value: values[factor].toFixed(4), points, of: POINTS[factor], basis: basis[factor] };
    }),
  };
}

function monthsOf(concluded: readonly ConcludedPayment[], { from, to }: Period): MonthOfPayments[] {
  const months = new Map<string, MonthOfPayments>();
  for (let day = monthStartOf(from); day <= to; day = addMonths(day, 1)) {
    const month = day.slice(0, 7);
    months.set(month, { month, on_time: 0, missed: 0 });
  }
  for (const { day, onTime } of concluded) months.get(day.slice(0, 7))![onTime ? 'on_time' : 'missed'] += 1;
  return [...months.values()];
}
