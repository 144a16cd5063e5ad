import { DomainError } from '../../domain/errors.ts';
import { maskEmail } from '../../domain/vault/masks.ts';
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

/** By which a person sees on a page as whom they are signed in. */
export async function maskedEmailOf(services: VaultServices, userId: string): Promise<string> {
  const email = await emailOf(services, { userId, purpose: 'consent-page' });
  return email === undefined ? '***' : maskEmail(email);
}
