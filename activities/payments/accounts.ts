import { digitsForm } from '../../domain/vault/forms.ts';
import type { Services } from '../../infra/services.ts';
import type { PayeeAccount } from './providers.ts';

/** The fingerprint stays the same after key rotations. */
export function fingerprintOf(
  { keys }: Pick<Services, 'keys'>,
  { sortCode, accountNumber }: Pick<PayeeAccount, 'sortCode' | 'accountNumber'>,
): string {
  return keys.blindIndex('payee account', `${digitsForm(sortCode)} ${accountNumber}`);
}
