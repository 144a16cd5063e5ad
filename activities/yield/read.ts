import { londonDateOf, startOfLondonDay, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence, sum, type Pence } from '../../domain/money.ts';
import { forecastYield, type Forecast } from '../../domain/yield-forecast.ts';
import { planAccruals, taxYearStartOf } from '../../domain/yield.ts';
import * as statements from '../../infra/db/statements/yield.ts';
import type { YieldRow } from '../../infra/db/statements/yield.ts';
import type { Services } from '../../infra/services.ts';
import { DEFAULT_LIMIT, pagesOf } from '../page.ts';
import type { VaultYield, VaultYieldDetails } from '../../openapi/types.ts';
import { accrualView, requireVault } from './accrue.ts';
import { drawForecast } from './chart.ts';
import { openVaultOf, type YieldServices } from './post.ts';
import { readRates, type Rates } from './rates.ts';

export interface ForecastRequest {
  user_id: string;
  horizon_months: number;
  include_reinvestment?: boolean;
}

/** Interest belongs to the tax year (6 April to 5 April) in which it was posted. */
export async function aggregateYield(services: YieldServices, { user_id }: { user_id: string }) {
  const today = londonDateOf(await services.clock.now());
  const [rows, rates] = await Promise.all([
    services.db.many(statements.yieldOfOwner(user_id, startOfLondonDay(taxYearStartOf(today)))),
    readRates(services),
  ]);
  // Processes vaults in the same order as accruing does, so that the owner's limit applies in the same way.
  let earned = pence(rows[0]?.earned ?? 0);
  const vaults = rows.map((row) => {
    const vault = vaultYield(services, { ...row, earned }, rates, today);
    earned = pence(earned + vault.unposted);
    return vault;
  });
  const total = (amounts: number[]) => sum(amounts.map(pence));
  return {
    user_id,
    total_accrued: total(vaults.map(({ total_accrued }) => total_accrued)),
    accrued_this_tax_year: total(rows.map(({ accrued_since }) => accrued_since)),
    unposted: total(vaults.map(({ unposted }) => unposted)),
    by_vault: vaults,
  };
}

export async function getVaultYield(
  services: YieldServices,
  request: { vault_id: string; limit?: number; cursor?: string },
): Promise<VaultYieldDetails> {
  const { vault_id, limit = DEFAULT_LIMIT, cursor } = request;
  const pages = pagesOf(services, { operation: 'getVaultYield', filter: { vault_id } });
  const before = await pages.after(cursor);
  await requireVault(services, vault_id);
  const today = londonDateOf(await services.clock.now());
  const [row, accruals, rates] = await Promise.all([
    services.db.one(statements.yieldOfVault(vault_id, startOfLondonDay(taxYearStartOf(today)))),
    services.db.many(statements.accrualsOfVault(vault_id, before, limit + 1)),
    readRates(services),
  ]);
  const { items, next_cursor } = await pages.page(accruals, limit, accrualView);
  return { ...vaultYield(services, row, rates, today), accruals: items, next_cursor };
}

export async function forecastOwnerYield(services: YieldServices, request: ForecastRequest): Promise<Forecast> {
  return (await forecastFromToday(services, request)).forecast;
}

export async function drawOwnerYield(
  services: YieldServices & Pick<Services, 'threads'>,
  request: ForecastRequest,
): Promise<string> {
  return drawForecast(services.threads, await forecastFromToday(services, request));
}

async function forecastFromToday(services: YieldServices, request: ForecastRequest) {
  const today = londonDateOf(await services.clock.now());
  const rows = await services.db.many(statements.vaultBalances(request.user_id));
  const vaults = rows.map(({ vault_type, balance }) => ({
    balance: pence(balance),
    annualRate: services.config.yield.annualRates[vault_type],
  }));
  const { horizon_months: months, include_reinvestment: reinvest = true } = request;
  return { today, forecast: forecastYield(vaults, { today, months, reinvest }) };
}

function vaultYield({ config }: YieldServices, row: YieldRow, rates: Rates, today: CalendarDate): VaultYield {
  return {
    vault_id: row.vault_id,
    vault_type: row.vault_type,
    label: row.label === '' ? null : row.label,
    balance: row.balance,
    annual_rate: config.yield.annualRates[row.vault_type],
    total_accrued: row.total_accrued,
    unposted: unposted(row, rates, today),
    last_accrued_to: row.accrued_to,
  };
}

/** The interest that accruing now would post, or zero if accruing would be refused. */
function unposted(row: YieldRow, rates: Rates, today: CalendarDate): Pence {
  try {
    const accruals = planAccruals(openVaultOf(row), { to: today, rates: rates[row.vault_type], monthly: false });
    return sum(accruals.map(({ accrued }) => accrued));
  } catch (error) {
    if (error instanceof DomainError) return pence(0);
    throw error;
  }
}
