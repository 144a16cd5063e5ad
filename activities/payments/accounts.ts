import { digitsForm } from '../../domain/vault/forms.ts';
import type { Services } from '../../infra/services.ts';

export interface PayeeAccount {
  name: string;
  sortCode: string;
  accountNumber: string;
}

/** The fingerprint stays the same after key rotations. */
export function fingerprintOf(
  { keys }: Pick<Services, 'keys'>,
  { sortCode, accountNumber }: Pick<PayeeAccount, 'sortCode' | 'accountNumber'>,
): string {
  return keys.blindIndex('payee account', `${digitsForm(sortCode)} ${accountNumber}`);
}
