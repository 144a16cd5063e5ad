import { londonDateOf } from '../../domain/dates.ts';
import { VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';
import { rateMillionths, type RateFrom } from '../../domain/yield.ts';
import { YieldRate } from '../../infra/db/entities/yield.ts';
import type { Database } from '../../infra/db/database.ts';
import type { YieldServices } from './post.ts';

/** The rates of each type of vault, oldest first. */
export type Rates = Readonly<Record<VaultType, readonly RateFrom[]>>;

const ALWAYS = '0001-01-01';

/** A type of vault without recorded rates uses the rate in the settings. */
export async function readRates({ db, config }: Pick<YieldServices, 'db' | 'config'>): Promise<Rates> {
  const recorded = await recordedRates(db.entities());
  const ratesOf = (type: VaultType): RateFrom[] =>
    recorded.get(type)?.map(({ fromDate, annualRate }) => ({ from: fromDate, annualRate })) ?? [
      { from: ALWAYS, annualRate: config.yield.annualRates[type] },
    ];
  return { FIXED: ratesOf('FIXED'), SAVINGS: ratesOf('SAVINGS'), DISCRETIONARY: ratesOf('DISCRETIONARY') };
}

/** A changed rate applies from today. The first recorded rate also applies to earlier days. */
export async function recordRates(services: YieldServices): Promise<void> {
  const { db, config, clock } = services;
  const today = londonDateOf(await clock.now());
  await db.transaction(async () => {
    const entities = db.entities();
    const recorded = await recordedRates(entities);
    for (const vaultType of VAULT_TYPES) {
      const annualRate = config.yield.annualRates[vaultType];
      const last = recorded.get(vaultType)?.at(-1)?.annualRate;
      if (last !== undefined && rateMillionths(last) === rateMillionths(annualRate)) continue;
      await entities.upsert(YieldRate, { vaultType, fromDate: last === undefined ? ALWAYS : today, annualRate });
    }
  });
}

async function recordedRates(entities: ReturnType<Database['entities']>) {
  const rates = await entities.findAll(YieldRate, { orderBy: { vaultType: 'asc', fromDate: 'asc' } });
  return Map.groupBy(rates, ({ vaultType }) => vaultType);
}

export function earningTypes(rates: Rates): VaultType[] {
  return VAULT_TYPES.filter((type) => rates[type].some(({ annualRate }) => rateMillionths(annualRate) > 0));
}
