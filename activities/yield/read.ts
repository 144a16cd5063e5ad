import { londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import { pence, sum, type Pence, type Ratio } from '../../domain/money.ts';
import type { Forecast } from '../../domain/yield-forecast.ts';
import { taxYearStartOf } from '../../domain/yield.ts';
import { balancesOfOwner } from '../../infra/db/queries/allocations.ts';
import * as queries from '../../infra/db/queries/yield.ts';
import type { YieldRow } from '../../infra/db/queries/yield.ts';
import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { DEFAULT_LIMIT, pagesOf } from '../page.ts';
import type { VaultYield } from '../../openapi/types.ts';
import { accrualView, requireVault } from './accrue.ts';
import { forecastChartTask, forecastVaults, unpostedInterest, unpostedOf } from './calculations.ts';
import type { YieldServices } from './post.ts';
import { rateShown, readRates } from './rates.ts';

type ThreadedServices = YieldServices & Pick<Services, 'threads'>;

export const yieldActivities = (services: ThreadedServices) =>
  bind(services, { aggregateYield, getVaultYield, forecastYield, drawYieldForecast });

interface ForecastRequest {
  user_id: string;
  horizon_months: number;
  include_reinvestment?: boolean;
}

/** Interest belongs to the tax year (6 April to 5 April) in which it was posted. */
async function aggregateYield(services: ThreadedServices, { user_id }: { user_id: string }) {
  const today = londonDateOf(await services.clock.now(services.db));
  const [rows, rates] = await Promise.all([
    services.db.many(queries.yieldOfOwner(user_id, startOfLondonDay(taxYearStartOf(today)))),
    readRates(services.db),
  ]);
  const unposted = await unpostedInterest(services.threads, { rows, rates, today });
  const vaults = rows.map((row, index) => vaultYield(row, unposted[index]!, rateShown(rates, row, today)));
  const total = (amounts: number[]) => sum(amounts.map(pence));
  return {
    user_id,
    total_accrued: total(vaults.map(({ total_accrued }) => total_accrued)),
    accrued_this_tax_year: total(rows.map(({ accrued_since }) => accrued_since)),
    unposted: total(vaults.map(({ unposted }) => unposted)),
    by_vault: vaults,
  };
}

async function getVaultYield(services: YieldServices, request: { vault_id: string; limit?: number; cursor?: string }) {
  const { vault_id, limit = DEFAULT_LIMIT, cursor } = request;
  const pages = pagesOf(services, { operation: 'getVaultYield', filter: { vault_id } });
  const before = await pages.after(cursor);
  await requireVault(services.db, vault_id);
  const today = londonDateOf(await services.clock.now(services.db));
  const [row, accruals, rates] = await Promise.all([
    services.db.one(queries.yieldOfVault(vault_id, startOfLondonDay(taxYearStartOf(today)))),
    services.db.many(queries.accrualsOfVault(vault_id, before, limit + 1)),
    readRates(services.db),
  ]);
  const { items, next_cursor } = await pages.page(accruals, limit, accrualView);
  const [unposted] = unpostedOf({ rows: [row], rates, today });
  return { ...vaultYield(row, unposted!, rateShown(rates, row, today)), accruals: items, next_cursor };
}

async function forecastYield(services: ThreadedServices, request: ForecastRequest): Promise<Forecast> {
  return (await forecastFromToday(services, request)).forecast;
}

async function drawYieldForecast(services: ThreadedServices, request: ForecastRequest): Promise<string> {
  return services.threads.run(forecastChartTask, await forecastFromToday(services, request));
}

async function forecastFromToday(services: ThreadedServices, request: ForecastRequest) {
  const today = londonDateOf(await services.clock.now(services.db));
  const [owned, rates] = await Promise.all([services.db.one(balancesOfOwner(request.user_id)), readRates(services.db)]);
  const { connected_on } = owned;
  const vaults = owned.vaults.map(({ vault_type, balance }) => ({
    balance: pence(balance),
    annualRate: rateShown(rates, { vault_type, connected_on }, today),
  }));
  const { horizon_months: months, include_reinvestment: reinvest = true } = request;
  const forecast = await forecastVaults(services.threads, { vaults, today, months, reinvest });
  return { today, forecast };
}

function vaultYield(row: YieldRow, unposted: Pence, annual_rate: Ratio): VaultYield {
  return {
    vault_id: row.vault_id,
    vault_type: row.vault_type,
    label: row.label === '' ? null : row.label,
    balance: row.balance,
    annual_rate,
    total_accrued: row.total_accrued,
    unposted,
    last_accrued_to: row.accrued_to,
    ...(row.closed_at !== null && { closed_at: row.closed_at }),
  };
}
