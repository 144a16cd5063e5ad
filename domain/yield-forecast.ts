import { addMonths, daysBetween, startOfLondonDay, type CalendarDate } from './dates.ts';
import { exact, pence, sum, type Pence, type Ratio } from './money.ts';
import { balanceLimit, MAX_HELD, settle } from './yield.ts';

interface EarningVault {
  balance: Pence;
  annualRate: Ratio;
}

interface ForecastRequest {
  vaults: readonly EarningVault[];
  today: CalendarDate;
  months: number;
  reinvest: boolean;
}

export type Forecast = ReturnType<typeof forecastYield>;

/** Assumes no deposits or withdrawals. A vault earns balance x rate x days / 365 a month, rounded half up. */
export function forecastYield({ vaults, today, months, reinvest }: ForecastRequest) {
  let balances = vaults.map(({ balance }) => balance);
  const current_balance = sum(balances);
  const monthly_breakdown = Array.from({ length: months }, (_, month) => {
    const days = BigInt(daysBetween(addMonths(today, month), addMonths(today, month + 1)));
    const earned = vaults.map(({ annualRate }, index) => settle(BigInt(balances[index]!) * days, annualRate).accrued);
    if (reinvest) balances = balances.map((balance, index) => within(balance + earned[index]!));
    return {
      /** Month 1 covers the days from today up to a month from now. */
      month: month + 1,
      accrued: within(total(earned)),
      /** All vaults together, at the end of the month. Includes interest only if interest is reinvested. */
      balance: within(total(balances)),
    };
  });
  return {
    current_balance,
    projected_yield: within(total(monthly_breakdown.map(({ accrued }) => accrued))),
    effective_apy: effectiveApy(vaults, reinvest),
    monthly_breakdown,
    forecast_date: startOfLondonDay(addMonths(today, months)).toISOString(),
  };
}

/** In percent, rounded half up. With `reinvest`, the mean rate compounds monthly: (1 + r/12)^12 - 1. */
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
