import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';
import type { Ratio } from '../../domain/money.ts';
import { ALWAYS, rateMillionths, ratesUntil, type RateFrom } from '../../domain/yield.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { recordedRates as recordedRatesOfAll, recordRate } from '../../infra/db/queries/yield.ts';
import type { Services } from '../../infra/services.ts';

/** The rates of each type of vault, oldest first. */
export type Rates = Readonly<Record<VaultType, readonly RateFrom[]>>;

/** A type of vault without recorded rates uses the rate in the settings. */
export async function readRates(db: Queries, { config }: Pick<Services, 'config'>): Promise<Rates> {
  const recorded = await recordedRates(db);
  const ratesOf = (type: VaultType): RateFrom[] =>
    recorded.get(type)?.map(({ from_date, annual_rate }) => ({ from: from_date, annualRate: annual_rate })) ?? [
      { from: ALWAYS, annualRate: config.yield.annualRates[type] },
    ];
  return { FIXED: ratesOf('FIXED'), SAVINGS: ratesOf('SAVINGS'), DISCRETIONARY: ratesOf('DISCRETIONARY') };
}

/** A changed rate applies from today. The first recorded rate also applies to earlier days. */
export async function recordRates({ db, config, clock }: Pick<Services, 'db' | 'config' | 'clock'>): Promise<void> {
  const today = londonDateOf(await clock.now(db));
  await db.transaction(async (tx) => {
    const recorded = await recordedRates(tx);
    for (const vault_type of VAULT_TYPES) {
      const annual_rate = config.yield.annualRates[vault_type];
      const last = recorded.get(vault_type)?.at(-1)?.annual_rate;
      if (last !== undefined && rateMillionths(last) === rateMillionths(annual_rate)) continue;
      await tx.run(recordRate({ vault_type, from_date: last === undefined ? ALWAYS : today, annual_rate }));
    }
  });
}

async function recordedRates(db: Queries) {
  return Map.groupBy(await db.many(recordedRatesOfAll()), ({ vault_type }) => vault_type);
}

/** `connected_on` is the first day on which the vaults of the owner, who has connected a bank, earn nothing. */
interface Earning {
  vault_type: VaultType;
  connected_on: CalendarDate | null;
}

export function ratesOfVault(rates: Rates, { vault_type, connected_on }: Earning): readonly RateFrom[] {
  return ratesUntil(rates[vault_type], connected_on);
}

/** Today's rate. */
export function rateShown({ config }: Pick<Services, 'config'>, { vault_type, connected_on }: Earning): Ratio {
  return connected_on === null ? config.yield.annualRates[vault_type] : '0';
}

export function earningTypes(rates: Rates): VaultType[] {
  return VAULT_TYPES.filter((type) => rates[type].some(({ annualRate }) => rateMillionths(annualRate) > 0));
}
