import type { Access } from './access.ts';
import type { Account, Accounts, Transaction } from './accounts.ts';
import { decimalOf } from './amounts.ts';
import type { BankClock } from './clock.ts';
import type { Consent } from './consents.ts';
import type { BankExchange } from './exchange.ts';

export interface AccountDesk {
  accounts: Accounts;
  clock: BankClock;
}

const PAGE_SIZE = 100;
const SORT_CODE_SCHEME = 'UK.OBIE.SortCodeAccountNumber';
const NICKNAMES = { current: 'Current account', savings: 'Savings account', card: 'Credit card', euro: 'Euro account' };
const TYPES = { current: 'CACC', savings: 'SVGS', card: 'CARD', euro: 'CACC' };

/** `path` is the part after `/accounts`. */
export async function serveAccounts(
  desk: AccountDesk,
  { access: { consent }, path }: { access: Access; path: string },
  exchange: BankExchange,
): Promise<void> {
  if (consent?.kind !== 'accounts') {
    exchange.answer(403, null, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="accounts"' });
    return;
  }
  if (consent.status !== 'AUTH') return exchange.fail(400, { code: 'U009', message: 'The consent is not authorised.' });
  const shared = consent.accountIds.map((id) => desk.accounts.find(id)).filter((account) => account !== undefined);
  if (path === '') return answer(exchange, { Account: shared.map((account) => accountOf(account)) });
  const [, id, what] = /^\/([^/]+)\/(balances|transactions)$/.exec(path) ?? [];
  const account = shared.find((each) => each.id === id);
  if (account === undefined)
    return exchange.fail(400, { code: 'U011', message: 'There is no account with this id.', path: 'AccountId' });
  if (what === 'balances') return answer(exchange, { Balance: balancesOf(account, desk.clock.now()) });
  return answerTransactions(desk, { account, consent }, exchange);
}

async function answerTransactions(
  desk: AccountDesk,
  { account, consent }: { account: Account; consent: Consent },
  exchange: BankExchange,
): Promise<void> {
  const { searchParams } = exchange.url;
  const { Data } = JSON.parse(consent.request) as { Data: Record<string, string | undefined> };
  const asked = ['fromBookingDateTime', 'toBookingDateTime'].map((name) => searchParams.get(name));
  const [from, to] = asked.map((text) => (text === null ? null : timeIn(text)));
  if (from === undefined || to === undefined) {
    return exchange.fail(400, { code: 'U003', message: 'The time is not in ISO 8601.', path: 'fromBookingDateTime' });
  }
  const after = Number(searchParams.get('after') ?? 0);
  if (!Number.isSafeInteger(after)) return exchange.fail(400, { code: 'U002', message: 'The page is unknown.' });
  const rows = desk.accounts.transactions(account.id, {
    from: laterOf(from, timeIn(Data['TransactionFromDateTime'] ?? '')),
    to: earlierOf(to, timeIn(Data['TransactionToDateTime'] ?? '')),
    after,
    most: PAGE_SIZE + 1,
  });
  const page = rows.slice(0, PAGE_SIZE);
  const next = new URL(`${exchange.base}${exchange.url.pathname}${exchange.url.search}`);
  next.searchParams.set('after', String(page.at(-1)?.seq));
  const links = rows.length > PAGE_SIZE ? { Next: next.href } : {};
  return answer(exchange, { Transaction: page.map((row) => transactionOf(row, account)) }, links);
}

/** The standard ignores a time zone, and takes a day alone as its first instant. Undefined if it is neither. */
function timeIn(text: string): string | undefined {
  const [, day, time = '00:00:00'] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,3})?))?/.exec(text) ?? [];
  const instant = new Date(`${day}T${time}Z`);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

function laterOf(one: string | null, other: string | undefined): string | null {
  return one === null || (other !== undefined && other > one) ? (other ?? null) : one;
}

function earlierOf(one: string | null, other: string | undefined): string | null {
  return one === null || (other !== undefined && other < one) ? (other ?? null) : one;
}

function answer({ base, url, answer: send }: BankExchange, Data: object, links: object = {}) {
  const Self = `${base}${url.pathname}${url.search}`;
  send(200, { Data, Links: { Self, ...links }, Meta: {} });
  return Promise.resolve();
}

function accountOf(account: Account) {
  const { id, kind, currency, holder, openedAt } = account;
  const number = { SchemeName: SORT_CODE_SCHEME, Identification: `${account.sortCode}${account.accountNumber}` };
  const iban = { SchemeName: 'UK.OBIE.IBAN', Identification: ibanOf(account) };
  return {
    AccountId: id,
    Status: 'Enabled',
    StatusUpdateDateTime: openedAt,
    Currency: currency,
    AccountCategory: 'Personal',
    AccountTypeCode: TYPES[kind],
    Nickname: NICKNAMES[kind],
    OpeningDate: openedAt,
    Account: [{ ...(currency === 'GBP' ? number : iban), Name: holder }],
  };
}

/** By ISO 13616, with the bank code SAND. */
export function ibanOf({ sortCode, accountNumber }: Pick<Account, 'sortCode' | 'accountNumber'>): string {
  const bban = `SAND${sortCode}${accountNumber}`;
  const digits = `${bban}GB00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return `GB${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${bban}`;
}

function balancesOf({ id, currency, balance, creditLine }: Account, now: Date) {
  const amountOf = (minorUnits: number) => ({ Amount: decimalOf(minorUnits), Currency: currency });
  const balanceOf = (type: string, amount: number) => ({
    AccountId: id,
    CreditDebitIndicator: amount < 0 ? 'Debit' : 'Credit',
    Type: type,
    DateTime: now.toISOString(),
    Amount: amountOf(amount),
  });
  const overdraft = { Included: true, Type: 'Pre-Agreed', Amount: amountOf(creditLine) };
  return [
    balanceOf('ITBD', balance),
    { ...balanceOf('ITAV', balance + creditLine), ...(creditLine > 0 && { CreditLine: [overdraft] }) },
  ];
}

function transactionOf(row: Transaction, { currency }: Account) {
  const { id, accountId, amount, bookedAt, reference, partyName, partyAccount } = row;
  const party = {
    ...(partyAccount !== null && { SchemeName: SORT_CODE_SCHEME, Identification: partyAccount }),
    ...(partyName !== null && { Name: partyName }),
  };
  const isKnown = Object.keys(party).length > 0;
  return {
    AccountId: accountId,
    TransactionId: id,
    CreditDebitIndicator: amount < 0 ? 'Debit' : 'Credit',
    Status: 'BOOK',
    TransactionMutability: 'Immutable',
    BookingDateTime: bookedAt,
    ValueDateTime: bookedAt,
    ...(reference !== null && { TransactionInformation: reference }),
    Amount: { Amount: decimalOf(amount), Currency: currency },
    ...(isKnown && { [amount < 0 ? 'CreditorAccount' : 'DebtorAccount']: party }),
  };
}
