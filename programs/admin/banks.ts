import { BankError, type Banks, type ConfiguredBank, type Diagnosis } from '../../infra/bank/interface.ts';
import { createHouseLink } from '../../activities/bank/house.ts';
import { houseAccess } from '../../activities/payments/house.ts';
import type { Services } from '../../infra/services.ts';
import { FaultsFoundError, OperatorError } from './errors.ts';

type Needs = Pick<Services, 'banks' | 'db' | 'keys' | 'config'>;

interface ListedBank {
  bank_id: string;
  name: string;
  reads: boolean;
  pays: readonly string[];
  regulated_by: string;
  /** The state of the consent that pays for owners without a bank of their own. Null if another bank has it, or none. */
  house_account: string | null;
}

/** Asks only the bank that has the house account. */
export async function listBanks(services: Needs): Promise<{ items: ListedBank[] }> {
  const { banks } = services;
  const { house } = banks;
  const state = house && (await stateOf(services, house));
  const items = banks.all.map(({ bankId, name, regulated, port }) => ({
    bank_id: bankId,
    name,
    reads: port.traits.reads,
    pays: Object.keys(port.traits.pays),
    regulated_by: regulated.name,
    house_account: house?.bank.bankId === bankId ? state : null,
  }));
  return { items };
}

async function stateOf(services: Needs, { bank }: NonNullable<Banks['house']>): Promise<string> {
  if (isSandboxBank(services)) return 'granted by the sandbox';
  try {
    return await bank.port.look(await houseAccess(services));
  } catch (error) {
    if (error instanceof BankError) return `unclear: ${error.message}`;
    throw error;
  }
}

/** It takes the service's own credentials for the house account, and has no such consent to look at. */
function isSandboxBank({ config }: Pick<Needs, 'config'>): boolean {
  return config.environment === 'sandbox' && config.bank.banksFile === undefined;
}

/** @throws OperatorError unless this bank has a house account to connect. */
export async function connectHouse(
  services: Parameters<typeof createHouseLink>[0],
  { bank_id }: { bank_id: string },
): Promise<object> {
  const { banks, config } = services;
  bankOf(banks, bank_id);
  if (banks.house?.bank.bankId !== bank_id)
    throw new OperatorError(`The bank ${bank_id} does not have the house account. Set BANK_HOUSE and BANK_CONSENT_ID.`);
  if (isSandboxBank({ config }))
    throw new OperatorError(
      'The sandbox bank pays from the house account without a journey. There is nothing to connect.',
    );
  return createHouseLink(services, { bank_id });
}

/** @throws FaultsFoundError with the steps until then, if one fails. */
export async function checkBank({ banks }: Pick<Needs, 'banks'>, { bank_id }: { bank_id: string }): Promise<object> {
  const steps: Diagnosis[] = [];
  for await (const step of bankOf(banks, bank_id).port.diagnose()) {
    steps.push(step);
    if (!step.ok) throw new FaultsFoundError(`${step.step} failed: ${step.detail}`, { bank_id, steps });
  }
  return { bank_id, steps };
}

/** @throws OperatorError that names the configured banks. */
export function bankOf(banks: Banks, bankId: string): ConfiguredBank {
  const found = banks.find(bankId);
  if (found !== undefined) return found;
  const known = banks.all.map((bank) => bank.bankId);
  throw new OperatorError(
    known.length === 0
      ? 'No bank is configured. List the banks in the file that BANKS_FILE names.'
      : `There is no bank "${bankId}". The configured banks are ${known.join(', ')}.`,
  );
}
