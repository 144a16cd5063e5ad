import { normalisedName } from '../../domain/bank/names.ts';
import type { Services } from '../../infra/services.ts';

/*
 * Keyed hashes, by which the database compares account numbers and names without knowing them.
 */

type Keys = Pick<Services, 'keys'>;

/** Of an account: six digits and eight. The same for a payee, for an account at a bank, and for where money came from. */
export function accountNumberHash(
  { keys }: Keys,
  { sortCode, accountNumber }: { sortCode: string; accountNumber: string },
): string {
  return keys.blindIndex('account number', sortCode + accountNumber);
}

/** Of a payer or counterparty of one person. Null for a blank name. */
export function nameHash({ keys }: Keys, ownerId: string, name: string | null): string | null {
  const normalised = name === null ? '' : normalisedName(name);
  return normalised === '' ? null : keys.blindIndex('bank name', JSON.stringify([ownerId, normalised]));
}
