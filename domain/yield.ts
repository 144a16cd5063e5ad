import { addDays, daysBetween, isCalendarDate, monthStarts, type CalendarDate } from './dates.ts';
import { DomainError, invalidInput } from './errors.ts';
import { exact, pence, type Pence, type Ratio } from './money.ts';
import { MAX_RECEIVED } from './paycheck.ts';

/**
 * Interest is counted in units of 1/365,000,000 of a penny. A penny earns one unit a day for each millionth of yearly
 * rate, Actual/365 fixed. Every balance earns a whole number of units on every day, so only posting rounds.
 */
const UNITS_PER_PENNY = 365_000_000n;

/** The decimals of a yearly rate; more would not make whole units. */
export const RATE_DECIMALS = 6;
const RATE_MILLION = 1_000_000;

/** The decimals of a displayed remainder; enough to distinguish any two remainders. */
const REMAINDER_DECIMALS = 9;

/** The largest amount that a double holds exactly. */
export const MAX_HELD = Number.MAX_SAFE_INTEGER as Pence;

/**
 * The most interest that an owner may ever get. Together with the most that it may receive otherwise, it can be held
 * exactly.
 */
export const MAX_EARNED = (MAX_HELD - MAX_RECEIVED) as Pence;

/** A yearly rate, and the London day from which it applies. The first rate also applies to all earlier days. */
export interface RateFrom {
  from: CalendarDate;
  annualRate: Ratio;
}

/** The change of a vault's balance on one day; `firstSeq` is the lowest number of the ledger entries that caused it. */
export interface BalanceChange {
  day: CalendarDate;
  amount: Pence;
  firstSeq: number;
}

/** A vault's state before interest is posted. */
export interface Standing {
  /** The first day that has not earned yet: the end of the last accrual, or the day the vault was made. */
  from: CalendarDate;
  /** The remainder of the last posting, in units; negative if it rounded up. */
  carried: number;
  balance: Pence;
  /** All interest that the owner has ever got. */
  earned: Pence;
  /** Changes since `from`, by day. A change that counts from an earlier day has the day `from`. */
  changes: readonly BalanceChange[];
  /** Higher than all entries of the vault. */
  nextSeq: number;
}

/** Interest of one vault for the days from `from` up to but not including `to`, at one rate. */
export interface Accrual {
  from: CalendarDate;
  to: CalendarDate;
  annualRate: Ratio;
  /** The sum of the balances at each day's end. */
  balanceDays: bigint;
  carried: number;
  accrued: Pence;
  remainder: number;
  balanceAfter: Pence;
  /** Entries with lower numbers are counted: the next accrual need not read them. */
  entriesBefore: number;
}

/** A yearly rate in millionths. @throws RangeError if it has more than six decimals or is not from 0 to 1. */
export function rateMillionths(rate: Ratio): number {
  const millionths = exact(rate).times(RATE_MILLION);
  if (!millionths.isInteger() || millionths.isNegative() || millionths.greaterThan(RATE_MILLION))
    throw new RangeError(`${rate} is not a yearly rate from 0 to 1 with at most ${RATE_DECIMALS} decimal places`);
  return millionths.toNumber();
}

/**
 * Rounds the earnings half up, once: the exact sum of the days plus the carried remainder. The new remainder is carried
 * on, so that no fraction of a penny is ever lost or given twice. A remainder is at least -1/2 and less than 1/2 of a
 * penny, so nothing is ever taken back.
 * @throws DomainError `balance-limit`.
 */
export function settle(balanceDays: bigint, annualRate: Ratio, carried = 0): { accrued: Pence; remainder: number } {
  const earned = balanceDays * BigInt(rateMillionths(annualRate)) + BigInt(carried);
  const accrued = (2n * earned + UNITS_PER_PENNY) / (2n * UNITS_PER_PENNY);
  if (accrued > MAX_HELD) throw balanceLimit();
  return { accrued: pence(Number(accrued)), remainder: Number(earned - accrued * UNITS_PER_PENNY) };
}

/** A remainder in pence, as a decimal string; negative if the last posting rounded up. */
export function remainderText(units: number): string {
  return exact(units).dividedBy(UNITS_PER_PENNY.toString()).toFixed(REMAINDER_DECIMALS);
}

/**
 * The sum of end-of-day balances for the days from `from` up to but not including `to`; `changes` must be in order of
 * day.
 */
export function balanceDaysOf(
  opening: Pence,
  changes: readonly BalanceChange[],
  { from, to }: { from: CalendarDate; to: CalendarDate },
): bigint {
  let [day, balance, total] = [from, opening, 0n];
  for (const change of changes) {
    if (change.day >= to) break;
    if (change.day > day) {
      total += BigInt(balance) * BigInt(daysBetween(day, change.day));
      day = change.day;
    }
    balance = pence(balance + change.amount);
  }
  return total + BigInt(balance) * BigInt(daysBetween(day, to));
}

/** The days of the accruals to make. */
export interface Wanted {
  /** The first day that earns nothing. */
  to: CalendarDate;
  /** By day, oldest first. */
  rates: readonly RateFrom[];
  /** Whether to post as the monthly run does. */
  monthly: boolean;
}

/**
 * The accruals that bring a vault from its state to `to`. There is one for each stretch at one rate. With `monthly`,
 * there is also one up to the first of each month, as if each had been posted on its day. Interest itself earns from
 * the day it was accrued to, even if it is posted later. Empty if the vault is already accrued further.
 * @throws DomainError `balance-limit`.
 */
export function planAccruals(standing: Standing, wanted: Wanted): Accrual[] {
  if (standing.from > wanted.to) return [];
  const { changes, nextSeq } = standing;
  let { balance, carried, earned } = standing;
  let opening = changes.reduce<number>((left, { amount }) => left - amount, balance);
  return periodsOf(standing.from, wanted).map((period) => {
    const balanceDays = balanceDaysOf(pence(opening), changes, period);
    const { accrued, remainder } = settle(balanceDays, period.annualRate, carried);
    if (earned + accrued > MAX_EARNED) throw balanceLimit();
    const later = changes.filter(({ day }) => day >= period.to).map(({ firstSeq }) => firstSeq);
    const before = carried;
    opening += accrued;
    [balance, earned, carried] = [pence(balance + accrued), pence(earned + accrued), remainder];
    return {
      ...period,
      balanceDays,
      carried: before,
      accrued,
      remainder,
      balanceAfter: balance,
      entriesBefore: Math.min(nextSeq, ...later),
    };
  });
}

interface Period {
  from: CalendarDate;
  to: CalendarDate;
  annualRate: Ratio;
}

/**
 * Days in stretches of one rate. A monthly run leaves a last stretch that earns nothing for later, and splits the
 * others by month.
 */
function periodsOf(from: CalendarDate, { to, rates, monthly }: Wanted): Period[] {
  const changes = rates.slice(1).filter((rate) => rate.from > from && rate.from < to);
  const starts = [{ from, annualRate: rateOn(rates, from) }, ...changes];
  const stretches = starts.map((start, place) => ({ ...start, to: starts[place + 1]?.from ?? to }));
  if (!monthly) return stretches;
  if (from >= to) return [];
  const earning = stretches.findLastIndex(({ annualRate }) => rateMillionths(annualRate) > 0);
  return stretches.slice(0, earning + 1).flatMap((stretch) => {
    if (rateMillionths(stretch.annualRate) === 0) return [stretch];
    const cuts = monthStarts(stretch.from, addDays(stretch.to, -1));
    const begins = [stretch.from, ...cuts];
    return begins.map((begin, place) => ({ ...stretch, from: begin, to: begins[place + 1] ?? stretch.to }));
  });
}

/** The rate of a day. @throws RangeError without any rate. */
export function rateOn(rates: readonly RateFrom[], day: CalendarDate): Ratio {
  const rate = rates.findLast(({ from }) => from <= day) ?? rates[0];
  if (!rate) throw new RangeError('there is no rate');
  return rate.annualRate;
}

/**
 * The day up to which a monthly run to `to` posts: it leaves days at the end that earn nothing for later. Undefined if
 * no day earns.
 */
export function postedUpTo(rates: readonly RateFrom[], to: CalendarDate): CalendarDate | undefined {
  const known = rates.filter(({ from }, place) => place === 0 || from < to);
  const last = known.findLastIndex(({ annualRate }) => rateMillionths(annualRate) > 0);
  return last === -1 ? undefined : (known[last + 1]?.from ?? to);
}

/** The first day of the date's tax year: 6 April. */
export function taxYearStartOf(date: CalendarDate): CalendarDate {
  const year = Number(date.slice(0, 4));
  return date.slice(5) >= '04-06' ? `${year}-04-06` : `${year - 1}-04-06`;
}

/**
 * Checks the requested first day that earns nothing.
 * @throws DomainError `invalid-request` for an invalid day, a day in the future, or one before the vault was made.
 */
export function requireAsOf(asOf: CalendarDate, today: CalendarDate, madeOn: CalendarDate): void {
  if (typeof asOf !== 'string' || !isCalendarDate(asOf))
    throw invalidInput('/as_of', 'must be a date such as 2026-01-31');
  if (asOf > today) throw invalidInput('/as_of', `must not be after today, ${today}`);
  if (asOf < madeOn)
    throw invalidInput('/as_of', `must not be before the day on which the vault was created, ${madeOn}`);
}

/**
 * Interest may be posted only for days that are over.
 * @throws DomainError `invalid-request` if one of the accruals includes today, or a later day.
 */
export function requireOver(accruals: readonly Pick<Accrual, 'to'>[], today: CalendarDate): void {
  for (const { to } of accruals) requireAsOf(to, today, to);
}

export function balanceLimit(): DomainError {
  return new DomainError(
    'balance-limit',
    `With this interest the owner would have more than can be told exactly: ${MAX_EARNED} pence of interest are the most.`,
    { limit: MAX_EARNED },
  );
}
