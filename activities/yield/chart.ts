import { inWords, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { inPounds } from '../../domain/money.ts';
import type { Forecast } from '../../domain/yield-forecast.ts';
import type { Threads } from '../../infra/threads/index.ts';
import { task } from '../../infra/threads/task.ts';

interface ChartRequest {
  forecast: Forecast;
  today: CalendarDate;
}

export function drawForecast(threads: Threads, request: ChartRequest): Promise<string> {
  return threads.run(chartTask, request);
}

const chartTask = task<typeof forecastChart>(import.meta.url, 'forecastChart');

export async function forecastChart({ forecast, today }: ChartRequest): Promise<string> {
  // Loaded on demand, because the module is slow to load.
  const { balanceAndInterest } = await import('../../infra/charts/balance-and-interest.ts');
  const { currentBalance, projectedYield, effectiveApy, months, endsAt } = forecast;
  const last = months.at(-1)!.balance;
  const ends = inWords(londonDateOf(endsAt));
  const earned = `${inPounds(projectedYield)} of interest by ${ends}, ${effectiveApy} % a year`;
  return balanceAndInterest({
    title: 'What the vaults will earn, month by month',
    subtitle: earned,
    description:
      `The balance of all vaults as a line, from ${inPounds(currentBalance)} today to ${inPounds(last)}, and the interest ` +
      `of each of the ${months.length} months as a bar below it: ${earned}.`,
    start: today,
    balances: [currentBalance, ...months.map(({ balance }) => balance)],
    interest: months.map(({ accrued }) => accrued),
  });
}
