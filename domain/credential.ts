import type { Decimal } from 'decimal.js';
import { addMonths, daysBetween, monthStartOf, type CalendarDate } from './dates.ts';
import { exact, pence, ratioOf, roundHalfUp, type Ratio } from './money.ts';
import { PROVIDER_CATEGORIES, type ProviderCategory } from './payments.ts';
import { dayOf, punctualityOf, type PaymentPast } from './reliability.ts';

/** Both days are included. */
export interface Period {
  from: CalendarDate;
  to: CalendarDate;
}

/** One of the three things that make the score: `value` from 0 to 1 with four decimals, and the points it brought out of `of`. */
export interface ScorePart {
  factor: 'punctuality' | 'history' | 'streak';
  value: Ratio;
  points: number;
  of: number;
}

/** Payments that were concluded, by the month of their day. */
export interface MonthOfPayments {
  /** `YYYY-MM` */
  month: string;
  on_time: number;
  missed: number;
}

/** How reliably somebody paid. */
export interface Reliability {
  total_payments: number;
  missed_payments: number;
  on_time_rate: Ratio;
  /** 0 to 1000; the points of `score_breakdown` add up to it. */
  reliability_score: number;
  score_breakdown: ScorePart[];
  /** Every calendar month that the period touches, oldest first. */
  months: MonthOfPayments[];
}

export type CredentialStatus = 'valid' | 'expired' | 'revoked';

/** How far back a credential looks, in months, where nothing is said. */
export const DEFAULT_PERIOD_MONTHS = 12;

/** For how long a credential is valid. */
const VALID_DAYS = 90;
const DAY_MS = 86_400_000;
/** Weight halves for each half year of age, in days. */
const HALF_LIFE_DAYS = '182.5';
const FULL_HISTORY = 24;
const FULL_STREAK = 12;
/** Thirds are cut after 40 digits; so many decimals of what they add up to are sure, and a half among them is a half. */
const CERTAIN_DECIMALS = 20;
const POINTS = { punctuality: 700, history: 200, streak: 100 } as const;

/** The days that a credential of that many months covers, made on a day in London. */
export function periodOf(today: CalendarDate, months: number): Period {
  return { from: addMonths(today, -months), to: today };
}

/** `YYYY-MM-DD to YYYY-MM-DD` */
export function periodText({ from, to }: Period): string {
  return `${from} to ${to}`;
}

/** Categories in the order of the list of all; all of them where nothing is said. */
export function categoriesOf(scope: readonly ProviderCategory[] | undefined): ProviderCategory[] {
  return PROVIDER_CATEGORIES.filter((category) => scope === undefined || scope.includes(category));
}

/** The instant at which a credential that is issued now begins: whole seconds, which is what a token can say. */
export function issueInstant(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 1_000) * 1_000);
}

/** The first instant at which it is valid no more. */
export function expiryOf(issuedAt: Date): Date {
  return new Date(issuedAt.getTime() + VALID_DAYS * DAY_MS);
}

/** How a credential stands at an instant; one that was revoked stays so when it expires. */
export function credentialStatus(
  { expires_at, revoked_at }: { expires_at: string; revoked_at: string | null },
  now: Date,
): CredentialStatus {
  if (revoked_at !== null) return 'revoked';
  return now >= new Date(expires_at) ? 'expired' : 'valid';
}

/**
 * How reliably somebody paid in a period, by the payments that are concluded at an instant: `700 R + 200 D + 100 S`, rounded half
 * up. R is the share paid on time, each payment weighted by 0.5^(age in days / 182.5); D is full from 24 payments on; S is full
 * from 12 on time in a row at the end. Undefined where no payment is concluded.
 * @param past in the order of their days.
 */
export function reliabilityOf(past: readonly PaymentPast[], period: Period, now: Date): Reliability | undefined {
  const concluded = past.flatMap((payment) => {
    const end = punctualityOf(payment, now);
    return end === 'open' ? [] : [{ day: dayOf(payment), onTime: end === 'on-time' }];
  });
  if (concluded.length === 0) return undefined;
  const missed = concluded.filter(({ onTime }) => !onTime).length;
  const lastMissed = concluded.findLastIndex(({ onTime }) => !onTime);
  const values = {
    punctuality: weightedRate(concluded, period.to),
    history: atMostOne(concluded.length, FULL_HISTORY),
    streak: atMostOne(concluded.length - 1 - lastMissed, FULL_STREAK),
  };
  return {
    total_payments: concluded.length,
    missed_payments: missed,
    on_time_rate: ratioOf(pence(concluded.length - missed), pence(concluded.length)),
    ...scoreOf(values),
    months: monthsOf(concluded, period),
  };
}

interface Concluded {
  day: CalendarDate;
  onTime: boolean;
}

function weightedRate(concluded: readonly Concluded[], today: CalendarDate): Decimal {
  let [onTime, all] = [exact(0), exact(0)];
  for (const [day, payments] of Map.groupBy(concluded, ({ day: its }) => its)) {
    const weight = weightOf(daysBetween(day, today));
    onTime = onTime.plus(weight.times(payments.filter((payment) => payment.onTime).length));
    all = all.plus(weight.times(payments.length));
  }
  return onTime.dividedBy(all);
}

const WEIGHTS = [exact(1)];
const DAILY = exact('0.5').pow(exact(1).dividedBy(HALF_LIFE_DAYS));

/** 0.5^(days / 182.5). A power takes a hundred times as long as the product of the day before, which is exact to 36 digits. */
function weightOf(days: number): Decimal {
  while (WEIGHTS.length <= days) WEIGHTS.push(WEIGHTS.at(-1)!.times(DAILY));
  return WEIGHTS[days]!;
}

function atMostOne(count: number, full: number): Decimal {
  return exact(Math.min(count, full)).dividedBy(full);
}

/** The points are whole and add up to the score: what is lost by cutting them goes to the largest fractions. */
function scoreOf(values: Readonly<Record<ScorePart['factor'], Decimal>>) {
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
    reliability_score: score as number,
    score_breakdown: parts.map((part): ScorePart => {
      const { factor, cut } = part;
      return { factor, value: values[factor].toFixed(4), points: cut + (raised.has(part) ? 1 : 0), of: POINTS[factor] };
    }),
  };
}

function monthsOf(concluded: readonly Concluded[], { from, to }: Period): MonthOfPayments[] {
  const months = new Map<string, MonthOfPayments>();
  for (let day = monthStartOf(from); day <= to; day = addMonths(day, 1)) {
    const month = day.slice(0, 7);
    months.set(month, { month, on_time: 0, missed: 0 });
  }
  for (const { day, onTime } of concluded) months.get(day.slice(0, 7))![onTime ? 'on_time' : 'missed'] += 1;
  return [...months.values()];
}
