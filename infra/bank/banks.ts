import type { BankConfig } from '../config/index.ts';
import type { Bank, Banks, ConfiguredBank } from './interface.ts';
import { openBank } from './obie-4.0/index.ts';

/** `watched` wraps each port, so that its calls are measured. */
export async function openBanks(
  config: BankConfig,
  watched: (port: Bank, bankId: string) => Bank = (port) => port,
): Promise<Banks> {
  const sandbox: ConfiguredBank = {
    bankId: 'sandbox',
    name: 'Sandbox bank',
    redirectUri: '',
    regulated: { name: 'Ringfence sandbox bank', termsUrl: `${config.url}/terms` },
    port: watched(await openBank(config), 'sandbox'),
  };
  const all = [sandbox];
  return {
    all,
    find: (bankId) => all.find((bank) => bank.bankId === bankId),
    house: { bank: sandbox, consentRef: config.consentId },
    close: async () => {
      await Promise.all(all.map(({ port }) => port.close()));
    },
  };
}
