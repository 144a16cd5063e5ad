import type { BankConfig, BankEntry } from '../config/index.ts';
import type { Bank, Banks, ConfiguredBank } from './interface.ts';
import { openBank as openObie } from './obie-4.0/index.ts';
import { openBank as openTrueLayer } from './truelayer-v1/index.ts';

type Limits = Pick<BankConfig, 'timeoutMs' | 'unattendedPerDay'>;

function openBank(entry: BankEntry, limits: Limits): Promise<Bank> {
  return entry.api === 'obie-4.0' ? openObie(entry, limits) : openTrueLayer(entry, limits);
}

/** `watched` wraps each port, so that its calls are measured. */
export async function openBanks(
  { entries, house, ...limits }: Pick<BankConfig, 'entries' | 'house'> & Limits,
  watched: (port: Bank, bankId: string) => Bank = (port) => port,
): Promise<Banks> {
  const all = await Promise.all(
    entries.map(async (entry): Promise<ConfiguredBank> => ({
      bankId: entry.id,
      name: entry.name,
      redirectUri: entry.redirect_uri,
      regulated: { name: entry.regulated.name, termsUrl: entry.regulated.terms_url },
      port: watched(await openBank(entry, limits), entry.id),
    })),
  );
  const find = (id: string) => all.find(({ bankId }) => bankId === id);
  const housed = house === null ? undefined : find(house.bankId);
  return {
    all,
    find,
    house: house === null || housed === undefined ? null : { bank: housed, consentRef: house.consentRef },
    close: async () => {
      await Promise.all(all.map(({ port }) => port.close()));
    },
  };
}
