import type { CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence, sum, type Pence } from '../../domain/money.ts';
import { forecastYield } from '../../domain/yield-forecast.ts';
import { planAccruals } from '../../domain/yield.ts';
import type { YieldRow } from '../../infra/db/queries/yield.ts';
import type { Threads } from '../../infra/threads/index.ts';
import { task } from '../../infra/threads/task.ts';
import { standingOf } from './post.ts';
import type { Rates } from './rates.ts';

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
    const accruals = planAccruals(standingOf(row), { to: today, rates: rates[row.vault_type], monthly: false });
    return sum(accruals.map(({ accrued }) => accrued));
  } catch (error) {
    if (error instanceof DomainError) return pence(0);
    throw error;
  }
}
