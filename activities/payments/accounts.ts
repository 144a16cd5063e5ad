import { digitsForm } from '../../domain/vault/forms.ts';
import { payeesWithoutFingerprint, setFingerprint } from '../../infra/db/statements/payees.ts';
import type { Services } from '../../infra/services.ts';
import { retrievePii } from '../vault/own.ts';
import type { PayeeAccount } from './providers.ts';

/** The fingerprint stays the same after key rotations. */
export function fingerprintOf(
  { keys }: Pick<Services, 'keys'>,
  { sortCode, accountNumber }: Pick<PayeeAccount, 'sortCode' | 'accountNumber'>,
): string {
  return keys.blindIndex('payee account', `${digitsForm(sortCode)} ${accountNumber}`);
}

/**
 * Earlier versions stored no fingerprint, and no migration could decrypt the accounts. Do not call inside a
 * transaction.
 */
export async function fingerprintPayees(services: Services, ownerId: string): Promise<void> {
  for (const { provider_id, bank_ref } of await services.db.many(payeesWithoutFingerprint(ownerId))) {
    const details = await retrievePii<'payee_bank'>(services, bank_ref, { purpose: 'payee-fingerprint' });
    const account = { sortCode: details.sort_code, accountNumber: details.account_number };
    await services.db.run(setFingerprint(provider_id, fingerprintOf(services, account)));
  }
}
