import type { CalendarDate } from '../../domain/dates.ts';
import { VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';
import type { Ratio } from '../../domain/money.ts';
import { ALWAYS, rateMillionths, rateOn, ratesUntil, type RateFrom } from '../../domain/yield.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { businessToday, recordedRates, recordRate, type RateRow } from '../../infra/db/queries/yield.ts';
import type { Tx } from '../../infra/db/transaction.ts';

/** The rates of each type of vault, oldest first. */
export type Rates = Readonly<Record<VaultType, readonly RateFrom[]>>;

export async function readRates(db: Queries): Promise<Rates> {
  const recorded = Map.groupBy(await db.many(recordedRates()), ({ vault_type }) => vault_type);
  const ratesOf = (type: VaultType): RateFrom[] =>
    (recorded.get(type) ?? []).map(({ from_date, annual_rate }) => ({ from: from_date, annualRate: annual_rate }));
  return { FIXED: ratesOf('FIXED'), SAVINGS: ratesOf('SAVINGS'), DISCRETIONARY: ratesOf('DISCRETIONARY') };
}

/**
 * A changed rate applies from today. The first recorded rate also applies to earlier days. Only the schema's owner may
 * record rates, so that nobody with the service's role can raise one. Returns the changes.
 */
export async function recordRates(owner: Tx, annualRates: Readonly<Record<VaultType, Ratio>>): Promise<RateRow[]> {
  const { today } = await owner.one(businessToday());
  const recorded = await readRates(owner);
  const changed: RateRow[] = [];
  for (const vault_type of VAULT_TYPES) {
    const annual_rate = annualRates[vault_type];
    const last = recorded[vault_type].at(-1)?.annualRate;
    if (last !== undefined && rateMillionths(last) === rateMillionths(annual_rate)) continue;
    const rate = { vault_type, from_date: last === undefined ? ALWAYS : today, annual_rate };
    await owner.run(recordRate(rate));
    if (last !== undefined) changed.push(rate);
  }
  return changed;
}

/** `connected_on` is the first day on which the vaults of the owner, who has connected a bank, earn nothing. */
interface Earning {
  vault_type: VaultType;
  connected_on: CalendarDate | null;
}

export function ratesOfVault(rates: Rates, { vault_type, connected_on }: Earning): readonly RateFrom[] {
  return ratesUntil(rates[vault_type], connected_on);
}

export function rateShown(rates: Rates, { vault_type, connected_on }: Earning, today: CalendarDate): Ratio {
  return connected_on === null ? rateOn(rates[vault_type], today) : '0';
}

export function earningTypes(rates: Rates): VaultType[] {
  return VAULT_TYPES.filter((type) => rates[type].some(({ annualRate }) => rateMillionths(annualRate) > 0));
}
