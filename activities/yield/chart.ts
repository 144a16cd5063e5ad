import { longDate, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { inPounds } from '../../domain/money.ts';
import type { Forecast } from '../../domain/yield-forecast.ts';
import { task } from '../../infra/threads/task.ts';

interface ChartRequest {
  forecast: Forecast;
  today: CalendarDate;
}

export const forecastChartTask = task<typeof forecastChart>(import.meta.url, 'forecastChart');

export async function forecastChart({ forecast, today }: ChartRequest): Promise<string> {
  // Loaded on demand, because the module is slow to load.
  const { balanceAndInterest } = await import('../../infra/charts/balance-and-interest.ts');
  const { current_balance, projected_yield, effective_apy, monthly_breakdown: months, forecast_date } = forecast;
  const last = months.at(-1)!.balance;
  const ends = longDate(londonDateOf(new Date(forecast_date)));
  const earned = `${inPounds(projected_yield)} of interest by ${ends}, ${effective_apy} % a year`;
  return balanceAndInterest({
    title: 'What the vaults will earn, month by month',
    subtitle: earned,
    description:
      `The balance of all vaults as a line, from ${inPounds(current_balance)} today to ${inPounds(last)}, and the interest ` +
      `of each of the ${months.length} months as a bar below it: ${earned}.`,
    start: today,
    balances: [current_balance, ...months.map(({ balance }) => balance)],
    interest: months.map(({ accrued }) => accrued),
  });
}
