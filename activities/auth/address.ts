import { DomainError } from '../../domain/errors.ts';
import { emailOfUser } from '../../infra/db/queries/auth.ts';
import { retrievePii } from '../vault/own.ts';
import type { VaultServices } from '../vault/record.ts';

type AddressPurpose = 'mail' | 'password-rules' | 'consent-page' | 'reset-page' | 'verification-page' | 'provider-link';

/** Returns undefined if the user or the address no longer exists. */
export async function emailOf(
  services: VaultServices,
  { userId, purpose }: { userId: string; purpose: AddressPurpose },
): Promise<string | undefined> {
  const row = await services.db.maybe(emailOfUser(userId));
  if (row === undefined) return undefined;
  const actor = purpose === 'mail' || purpose === 'provider-link' ? 'service' : userId;
  try {
    return (await retrievePii<'user_email'>(services, row.email_ref, { purpose, actor })).email;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'pii-erased') return undefined;
    throw error;
  }
}
