import { addMonths, daysBetween, startOfLondonDay, type CalendarDate } from './dates.ts';
import { exact, pence, sum, type Pence, type Ratio } from './money.ts';
import { balanceLimit, MAX_HELD, settle } from './yield.ts';

/** A vault's balance and rate. */
export interface EarningVault {
  balance: Pence;
  annualRate: Ratio;
}

export interface ForecastMonth {
  /** 1 for the days from today up to a month from now. */
  month: number;
  accrued: Pence;
  /** The sum of all vaults after the month. */
  balance: Pence;
}

export interface Forecast {
  currentBalance: Pence;
  projectedYield: Pence;
  /** A percentage with two decimals. */
  effectiveApy: string;
  months: ForecastMonth[];
  /** The instant at which the last day of the last month ends. */
  endsAt: Date;
}

/**
 * Future earnings of vaults if no other money comes or goes. Month k has the days from `today` plus k-1 months up to
 * `today` plus k months. In it each vault earns balance x rate x days / 365, rounded half up. With `reinvest`, that is
 * added to its balance.
 * @throws DomainError `balance-limit` if a balance would grow beyond what can be held exactly.
 */
export function forecastYield(
  vaults: readonly EarningVault[],
  { today, months, reinvest }: { today: CalendarDate; months: number; reinvest: boolean },
): Forecast {
  let balances = vaults.map(({ balance }) => balance);
  const currentBalance = sum(balances);
  const breakdown = Array.from({ length: months }, (_, index): ForecastMonth => {
    const days = BigInt(daysBetween(addMonths(today, index), addMonths(today, index + 1)));
    const earned = vaults.map(({ annualRate }, place) => settle(BigInt(balances[place]!) * days, annualRate).accrued);
    if (reinvest) balances = balances.map((balance, place) => within(balance + earned[place]!));
    return { month: index + 1, accrued: within(total(earned)), balance: within(total(balances)) };
  });
  return {
    currentBalance,
    projectedYield: within(total(breakdown.map(({ accrued }) => accrued))),
    effectiveApy: effectiveApy(vaults, reinvest),
    months: breakdown,
    endsAt: startOfLondonDay(addMonths(today, months)),
  };
}

/**
 * The yearly percentage that vaults earn together, with two decimals, rounded half up. It uses the mean rate weighted
 * by balance, paid monthly. If reinvested, it is compounded: (1 + r/12)^12 - 1. Without money it is `"0.00"`.
 */
export function effectiveApy(vaults: readonly EarningVault[], reinvest: boolean): string {
  const held = sum(vaults.map(({ balance }) => balance));
  if (held === 0) return '0.00';
  const earned = vaults.reduce((all, { balance, annualRate }) => all.plus(exact(balance).times(annualRate)), exact(0));
  const rate = earned.dividedBy(held);
  const yearly = reinvest ? rate.dividedBy(12).plus(1).pow(12).minus(1) : rate;
  return yearly.times(100).toFixed(2);
}

function total(amounts: readonly Pence[]): number {
  return amounts.reduce<number>((all, amount) => all + amount, 0);
}

function within(amount: number): Pence {
  if (amount > MAX_HELD) throw balanceLimit();
  return pence(amount);
}
