import type { GivenQuery } from './authorize.ts';

/** The pages about a person's bank for which the person must sign in. */
const CONNECTION_PAGES = ['authorise', 'reconfirm', 'accounts'] as const;

export interface ConnectionPage {
  bankPage: (typeof CONNECTION_PAGES)[number];
  connectionId: string;
}

export interface WagePage {
  bankPage: 'wage';
  transactionId: string;
}

export type BankPage = ConnectionPage | WagePage;

/** The query by which a form asks to continue to this page. */
export function continueTo(page: BankPage): string {
  const about: [string, string] =
    page.bankPage === 'wage' ? ['transaction_id', page.transactionId] : ['connection_id', page.connectionId];
  return new URLSearchParams([['bank_page', page.bankPage], about]).toString();
}

/** The page that the query of `continueTo` names. Undefined for any other query. */
export function bankPageOf(query: GivenQuery): BankPage | undefined {
  const { bank_page: page, connection_id: connectionId, transaction_id: transactionId } = query;
  if (page === 'wage') {
    return isId('txn', transactionId) ? { bankPage: 'wage', transactionId } : undefined;
  }
  const bankPage = CONNECTION_PAGES.find((known) => known === page);
  return bankPage !== undefined && isId('conn', connectionId) ? { bankPage, connectionId } : undefined;
}

function isId(prefix: 'conn' | 'txn', value: unknown): value is string {
  return typeof value === 'string' && new RegExp(`^${prefix}_[0-9a-f-]{36}$`).test(value);
}

export function addressOfBankPage(page: BankPage): string {
  return page.bankPage === 'wage'
    ? `/api/v1/bank/transactions/${page.transactionId}/wage`
    : `/api/v1/bank/connections/${page.connectionId}/${page.bankPage}`;
}

/**
 * Where a sign-in continues: to a page about a bank, or else to an authorization request, which is judged when the
 * browser gets there. So no query leads to another site.
 */
export function addressAfterSignIn(query: string): string {
  const page = bankPageOf(Object.fromEntries(new URLSearchParams(query)));
  return page === undefined ? `/api/v1/auth/authorize?${query}` : addressOfBankPage(page);
}
