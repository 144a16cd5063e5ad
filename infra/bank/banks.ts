import type { BankConfig } from '../config/index.ts';
import type { Bank, Banks, ConfiguredBank } from './interface.ts';
import { openBank } from './obie-4.0/index.ts';

/** `watched` wraps each port, so that its calls are measured. */
export async function openBanks(
  { entries, house, ...limits }: Pick<BankConfig, 'entries' | 'house' | 'timeoutMs' | 'unattendedPerDay'>,
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
