import { ibanOf } from '../account-api.ts';
import type { Account } from '../accounts.ts';
import type { TrueLayerConsent } from './consents.ts';
import { BANK_ID, logoOf } from './providers.ts';
import { idFrom } from './rows.ts';
import type { SwitchesOn } from './switches.ts';

export interface Reply {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

export const results = (items: readonly object[], status = 'Succeeded'): Reply => ({
  status: 200,
  body: { results: items, status },
});

export const refusal = (
  status: number,
  error: string,
  error_description: string,
  headers: Record<string, string> = {},
): Reply => ({ status, body: { error, error_description }, headers });

const TYPES = { current: 'TRANSACTION', savings: 'SAVINGS', euro: 'TRANSACTION', card: 'TRANSACTION' } as const;
const NAMES = { current: 'Current account', savings: 'Savings account', card: 'Credit card', euro: 'Euro account' };

/** Each consent sees the same ids, unless it has ids of its own. */
export function accountIdOf({ id }: Account, { idsFrom }: TrueLayerConsent): string {
  return idFrom(id, idsFrom);
}

export function meOf(
  { id, providerId, createdAt, expiresAt }: TrueLayerConsent,
  { clientId, scopes, base }: { clientId: string; scopes: readonly string[]; base: string },
): object {
  return {
    client_id: clientId,
    credentials_id: id,
    consent_status: 'Authorised',
    consent_status_updated_at: createdAt,
    consent_created_at: createdAt,
    consent_expires_at: expiresAt,
    provider: { display_name: 'Sandbox Bank', logo_uri: logoOf(base, providerId), provider_id: providerId },
    scopes,
  };
}

interface Listing {
  consent: TrueLayerConsent;
  switches: SwitchesOn;
  /** The customer's current account. */
  current: Account | undefined;
  base: string;
  now: string;
}

export function accountOf(account: Account, { consent, switches, current, base, now }: Listing): object {
  const isShared = account.kind === 'savings' && switches.isOn('shared_number');
  return {
    update_timestamp: now,
    account_id: accountIdOf(account, consent),
    account_type: TYPES[account.kind],
    display_name: NAMES[account.kind],
    currency: account.currency,
    account_number: numberOf((isShared && current) || account, switches.isOn('masked_number')),
    provider: { display_name: 'Sandbox Bank', logo_uri: logoOf(base, BANK_ID), provider_id: BANK_ID },
  };
}

function numberOf(account: Account, isMasked: boolean): object {
  const { sortCode, accountNumber: number, currency } = account;
  if (isMasked) return { number: `****${number.slice(-4)}` };
  const iban = ibanOf(account);
  if (currency !== 'GBP') return { iban };
  return { sort_code: sortCode.replace(/(\d\d)(\d\d)(\d\d)/, '$1-$2-$3'), number, iban };
}

export function cardOf(account: Account, { consent, now }: Listing): object {
  return {
    update_timestamp: now,
    account_id: accountIdOf(account, consent),
    card_network: 'VISA',
    card_type: 'CREDIT',
    display_name: NAMES.card,
    currency: account.currency,
    partial_card_number: account.accountNumber.slice(-4),
    name_on_card: account.holder,
  };
}

/** What a card owes is positive. */
export function balanceOf({ kind, currency, balance, creditLine }: Account, now: string): object {
  const common = { currency, available: (balance + creditLine) / 100, update_timestamp: now };
  if (kind === 'card') return { ...common, current: -balance / 100, credit_limit: creditLine / 100 };
  return { ...common, current: balance / 100, overdraft: creditLine / 100 };
}
