import { londonDateOf } from '../../domain/dates.ts';
import { VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';
import { rateMillionths, type RateFrom } from '../../domain/yield.ts';
import * as statements from '../../infra/db/statements/yield.ts';
import type { YieldServices } from './post.ts';

/** Every rate that a type of vault had, the oldest first. */
export type Rates = Readonly<Record<VaultType, readonly RateFrom[]>>;

const ALWAYS = '0001-01-01';

/** The rates that are on record; those of the settings for a type that has none yet. */
export async function readRates({ db, config }: Pick<YieldServices, 'db' | 'config'>): Promise<Rates> {
  const recorded = Map.groupBy(await db.many(statements.rates()), ({ vault_type }) => vault_type);
  const ratesOf = (type: VaultType): RateFrom[] =>
    recorded.get(type)?.map(({ from_date, annual_rate }) => ({ from: from_date, annualRate: annual_rate })) ?? [
      { from: ALWAYS, annualRate: config.yield.annualRates[type] },
    ];
  return { FIXED: ratesOf('FIXED'), SAVINGS: ratesOf('SAVINGS'), DISCRETIONARY: ratesOf('DISCRETIONARY') };
}

/**
 * Puts the rates of the settings on record: those that differ from the last ones apply from today on, the whole day, and the
 * days before keep theirs. The first ones apply to all days before, too. A worker does it when it starts.
 */
export async function recordRates(services: YieldServices): Promise<void> {
  const { db, config, clock } = services;
  const today = londonDateOf(await clock.now());
  await db.transaction(async () => {
    const recorded = Map.groupBy(await db.many(statements.rates()), ({ vault_type }) => vault_type);
    for (const type of VAULT_TYPES) {
      const rate = config.yield.annualRates[type];
      const last = recorded.get(type)?.at(-1)?.annual_rate;
      if (last !== undefined && rateMillionths(last) === rateMillionths(rate)) continue;
      const from_date = last === undefined ? ALWAYS : today;
      await db.run(statements.recordRate({ vault_type: type, from_date, annual_rate: rate }));
    }
  });
}

/** The types whose vaults earn, or earned once; the others' vaults never have anything to post. */
export function earningTypes(rates: Rates): VaultType[] {
  return VAULT_TYPES.filter((type) => rates[type].some(({ annualRate }) => rateMillionths(annualRate) > 0));
}
