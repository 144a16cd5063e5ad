import { londonDateOf, longDate, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { inPounds, pence, sum, type Pence } from '../../domain/money.ts';
import { forecastYield, type Forecast } from '../../domain/yield-forecast.ts';
import { planAccruals } from '../../domain/yield.ts';
import type { YieldRow } from '../../infra/db/queries/yield.ts';
import type { Threads } from '../../infra/threads/index.ts';
import { task } from '../../infra/threads/task.ts';
import { standingOf } from './post.ts';
import { ratesOfVault, type Rates } from './rates.ts';

/* The vaults of most owners are calculated on the main thread, and those of the few owners with many in a worker thread. */

interface UnpostedRequest {
  rows: readonly YieldRow[];
  rates: Rates;
  today: CalendarDate;
}

const FEW = 50;

export async function forecastVaults(threads: Threads, request: Parameters<typeof forecastYield>[0]) {
  return request.vaults.length <= FEW ? forecastYield(request) : threads.run(forecastTask, request);
}

/** The interest that accruing now would post to each vault, or zero where accruing would be refused. */
export async function unpostedInterest(threads: Threads, request: UnpostedRequest): Promise<Pence[]> {
  return request.rows.length <= FEW ? unpostedOf(request) : threads.run(unpostedTask, request);
}

const forecastModule = new URL('../../domain/yield-forecast.ts', import.meta.url).href;
const forecastTask = task<typeof forecastYield>(forecastModule, 'forecastYield');
export const forecastChartTask = task<typeof forecastChart>(import.meta.url, 'forecastChart');
const unpostedTask = task<typeof unpostedOf>(import.meta.url, 'unpostedOf');

/** Takes vaults in the same order as accruing does, so that the owner's limit applies in the same way. */
export function unpostedOf({ rows, rates, today }: UnpostedRequest): Pence[] {
  let earned = pence(rows[0]?.earned ?? 0);
  return rows.map((row) => {
    const unposted = unpostedTo({ ...row, earned }, rates, today);
    earned = pence(earned + unposted);
    return unposted;
  });
}

function unpostedTo(row: YieldRow, rates: Rates, today: CalendarDate): Pence {
  try {
    const accruals = planAccruals(standingOf(row), { to: today, rates: ratesOfVault(rates, row), monthly: false });
    return sum(accruals.map(({ accrued }) => accrued));
  } catch (error) {
    if (error instanceof DomainError) return pence(0);
    throw error;
  }
}

interface ChartRequest {
  forecast: Forecast;
  today: CalendarDate;
}

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
