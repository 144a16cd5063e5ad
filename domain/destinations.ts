import type { GivenQuery } from './authorize.ts';

/** The pages about a person's bank for which the person must sign in. */
const BANK_PAGES = ['authorise', 'reconfirm', 'accounts'] as const;

export interface BankPage {
  bankPage: (typeof BANK_PAGES)[number];
  connectionId: string;
}

/** The query by which a form asks to continue to this page. */
export function continueTo({ bankPage, connectionId }: BankPage): string {
  return new URLSearchParams({ bank_page: bankPage, connection_id: connectionId }).toString();
}

/** The page that the query of `continueTo` names. Undefined for any other query. */
export function bankPageOf({ bank_page: page, connection_id: connectionId }: GivenQuery): BankPage | undefined {
  const bankPage = BANK_PAGES.find((known) => known === page);
  if (bankPage === undefined || typeof connectionId !== 'string') return undefined;
  return /^conn_[0-9a-f-]{36}$/.test(connectionId) ? { bankPage, connectionId } : undefined;
}

export function addressOfBankPage({ bankPage, connectionId }: BankPage): string {
  return `/api/v1/bank/connections/${connectionId}/${bankPage}`;
}

/**
 * Where a sign-in continues: to a page about a bank, or else to an authorization request, which is judged when the
 * browser gets there. So no query leads to another site.
 */
export function addressAfterSignIn(query: string): string {
  const page = bankPageOf(Object.fromEntries(new URLSearchParams(query)));
  return page === undefined ? `/api/v1/auth/authorize?${query}` : addressOfBankPage(page);
}
