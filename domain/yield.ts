import { addDays, daysBetween, isCalendarDate, monthStarts, type CalendarDate } from './dates.ts';
import { DomainError, invalidInput } from './errors.ts';
import { exact, pence, type Pence, type Ratio } from './money.ts';
import { MAX_RECEIVED } from './paycheck.ts';

/** A penny earns a whole number of units each day (Actual/365 fixed), so interest is rounded only when posted. */
const UNITS_PER_PENNY = 365_000_000n;

/** With more decimals, daily interest would not be a whole number of units. */
export const RATE_DECIMALS = 6;
const RATE_MILLION = 1_000_000;

/** Enough decimals to distinguish any two remainders on display. */
const REMAINDER_DECIMALS = 9;

export const MAX_HELD = Number.MAX_SAFE_INTEGER as Pence;

/** The sum of this and `MAX_RECEIVED` still fits a double exactly. */
export const MAX_EARNED = (MAX_HELD - MAX_RECEIVED) as Pence;

/** Before every day of the service. */
export const ALWAYS = '0001-01-01';

/** `from` is a London date. The first rate also applies to earlier days. */
export interface RateFrom {
  from: CalendarDate;
  annualRate: Ratio;
}

/** From `from` up to, but not including, `to`. */
export interface DayRange {
  from: CalendarDate;
  to: CalendarDate;
}

/** `firstSeq` is the lowest sequence number among the day's ledger entries. */
export interface BalanceChange {
  day: CalendarDate;
  amount: Pence;
  firstSeq: number;
}

export interface Standing {
  /** The first day not yet accrued. */
  from: CalendarDate;
  /** In units of 1/365,000,000 of a penny. Negative if the last posting rounded up. */
  carried: number;
  balance: Pence;
  /** Interest posted to the owner's vaults so far. */
  earned: Pence;
  /** One per day since `from`. An entry that counts from an earlier day is part of the change on `from`. */
  changes: readonly BalanceChange[];
  /** Greater than the sequence numbers of the vault's ledger entries. */
  nextSeq: number;
}

/** Interest at one rate, from `from` up to but not including `to`. */
export interface Accrual {
  from: CalendarDate;
  to: CalendarDate;
  annualRate: Ratio;
  /** The sum of the daily closing balances. */
  balanceDays: bigint;
  carried: number;
  accrued: Pence;
  remainder: number;
  balanceAfter: Pence;
  /** The next accrual need not read ledger entries with a lower sequence number. */
  entriesBefore: number;
}

/** @throws RangeError unless the rate is 0 to 1 with at most six decimals. */
export function rateMillionths(rate: Ratio): number {
  const millionths = exact(rate).times(RATE_MILLION);
  if (!millionths.isInteger() || millionths.isNegative() || millionths.greaterThan(RATE_MILLION))
    throw new RangeError(`${rate} is not a yearly rate from 0 to 1 with at most ${RATE_DECIMALS} decimal places`);
  return millionths.toNumber();
}

/** Rounds half up. The remainder is -1/2 to below 1/2 of a penny, and is carried, so no fraction is lost. */
export function settle(balanceDays: bigint, annualRate: Ratio, carried = 0): { accrued: Pence; remainder: number } {
  const earned = balanceDays * BigInt(rateMillionths(annualRate)) + BigInt(carried);
  const accrued = (2n * earned + UNITS_PER_PENNY) / (2n * UNITS_PER_PENNY);
  if (accrued > MAX_HELD) throw balanceLimit();
  return { accrued: pence(Number(accrued)), remainder: Number(earned - accrued * UNITS_PER_PENNY) };
}

/** In pence. Negative if the last posting rounded up. */
export function remainderText(units: number): string {
  return exact(units).dividedBy(UNITS_PER_PENNY.toString()).toFixed(REMAINDER_DECIMALS);
}

/** The sum of daily closing balances, without the day `to`. `changes` must be in order of day. */
export function balanceDaysOf(opening: Pence, changes: readonly BalanceChange[], { from, to }: DayRange): bigint {
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

interface Wanted {
  /** Interest accrues up to, but not including, this day. */
  to: CalendarDate;
  /** Oldest first. */
  rates: readonly RateFrom[];
  /** Splits accruals by month, like the monthly run. */
  monthly: boolean;
}

/** Interest earns interest from the end of its accrual, even if the interest is posted later. */
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

/**
 * Whether a vault held more money at the end of an earning day since `since` than before that day. Days that are
 * accrued do not count. Nor does `interest`, the posted interest that is part of the change on `from`.
 */
export function hasUnposted(
  { from: open, balance, changes, interest }: Pick<Standing, 'from' | 'balance' | 'changes'> & { interest: Pence },
  { since, to, rates }: { since: CalendarDate; to: CalendarDate; rates: readonly RateFrom[] },
): boolean {
  const opening = changes.reduce<number>((left, { amount }) => left - amount, balance);
  let last = opening;
  const balances = changes.map(({ day, amount }) => ({ day, held: (last += amount) }));
  const heldOn = (day: CalendarDate) => balances.findLast((one) => one.day <= day)?.held ?? opening;
  const before = since < open ? 0 : heldOn(addDays(since, -1)) + (since === open ? interest : 0);
  const first = since > open ? since : open;
  return [first, ...changes.map(({ day }) => day), ...rates.map(({ from }) => from)]
    .filter((day) => day >= first && day < to)
    .some((day) => rateMillionths(rateOn(rates, day)) > 0 && heldOn(day) > before);
}

interface Period extends DayRange {
  annualRate: Ratio;
}

/** Periods of one rate. A monthly run leaves out the last days if their rate is zero. */
function periodsOf(from: CalendarDate, { to, rates, monthly }: Wanted): Period[] {
  const changes = rates.slice(1).filter((rate) => rate.from > from && rate.from < to);
  const starts = [{ from, annualRate: rateOn(rates, from) }, ...changes];
  const stretches = starts.map((start, index) => ({ ...start, to: starts[index + 1]?.from ?? to }));
  if (!monthly) return stretches;
  if (from >= to) return [];
  const earning = stretches.findLastIndex(({ annualRate }) => rateMillionths(annualRate) > 0);
  return stretches.slice(0, earning + 1).flatMap((stretch) => {
    if (rateMillionths(stretch.annualRate) === 0) return [stretch];
    const cuts = monthStarts(stretch.from, addDays(stretch.to, -1));
    const begins = [stretch.from, ...cuts];
    return begins.map((begin, index) => ({ ...stretch, from: begin, to: begins[index + 1] ?? stretch.to }));
  });
}

export function rateOn(rates: readonly RateFrom[], day: CalendarDate): Ratio {
  const rate = rates.findLast(({ from }) => from <= day) ?? rates[0];
  if (!rate) throw new RangeError('there is no rate');
  return rate.annualRate;
}

/** The rates of an owner whose vaults earn nothing from `day` on. */
export function ratesUntil(rates: readonly RateFrom[], day: CalendarDate | null): readonly RateFrom[] {
  if (day === null) return rates;
  return [...rates.filter(({ from }, index) => index === 0 || from < day), { from: day, annualRate: '0' }];
}

/** Whether the rate is above zero on a day of the range. */
export function earnsBetween(rates: readonly RateFrom[], { from, to }: DayRange): boolean {
  return [from, ...rates.map((rate) => rate.from)]
    .filter((day) => day >= from && day < to)
    .some((day) => rateMillionths(rateOn(rates, day)) > 0);
}

/** The periods before `to` at one rate above zero. A monthly run posts interest up to the end of the last. */
export function earningPeriods(rates: readonly RateFrom[], to: CalendarDate): DayRange[] {
  const known = rates.filter(({ from }, index) => index === 0 || from < to);
  return known.flatMap(({ from, annualRate }, index) =>
    rateMillionths(annualRate) > 0 ? [{ from: index === 0 ? ALWAYS : from, to: known[index + 1]?.from ?? to }] : [],
  );
}

/** A tax year begins on 6 April. */
export function taxYearStartOf(date: CalendarDate): CalendarDate {
  const year = Number(date.slice(0, 4));
  return date.slice(5) >= '04-06' ? `${year}-04-06` : `${year - 1}-04-06`;
}

export function requireAsOf(asOf: CalendarDate, today: CalendarDate, madeOn: CalendarDate): void {
  if (typeof asOf !== 'string' || !isCalendarDate(asOf))
    throw invalidInput('/as_of', 'must be a date such as 2026-01-31');
  if (asOf > today) throw invalidInput('/as_of', `must not be after today, ${today}`);
  if (asOf < madeOn)
    throw invalidInput('/as_of', `must not be before the day on which the vault was created, ${madeOn}`);
}

export function balanceLimit(): DomainError {
  return new DomainError(
    'balance-limit',
    `An owner can earn at most ${MAX_EARNED} pence of interest in total, and this interest would exceed the limit.`,
    { limit: MAX_EARNED },
  );
}
