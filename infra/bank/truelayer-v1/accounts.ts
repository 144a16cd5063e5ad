import * as z from 'zod';
import type { AccountKind, BankAccount, BankBalance, ConsentAccess } from '../interface.ts';
import { wholeIban } from '../values.ts';
import type { Data, Results } from './data.ts';
import { currencyIn, id, numeral, parts, text } from './fields.ts';
import { minorUnits } from './json.ts';

const ACCOUNT = z.object({
  account_id: id,
  account_type: text,
  display_name: text,
  currency: text,
  account_number: parts({ sort_code: text, number: text, iban: text }),
});

const CARD = z.object({
  account_id: id,
  display_name: text,
  currency: text,
  partial_card_number: text,
});

const BALANCE = parts({
  current: numeral,
  available: numeral,
  overdraft: numeral,
  credit_limit: numeral,
  currency: text,
  update_timestamp: text,
});

const KINDS: Readonly<Record<string, AccountKind>> = {
  TRANSACTION: 'current',
  BUSINESS_TRANSACTION: 'current',
  SAVINGS: 'savings',
  BUSINESS_SAVINGS: 'savings',
};

/** ISO 4217: no currency. */
const NO_CURRENCY = 'XXX';

export type Account = Pick<BankAccount, 'ref' | 'kind' | 'currency'>;

/** Where the provider has an account. */
export function pathOf({ ref, kind }: Pick<BankAccount, 'ref' | 'kind'>): string {
  return `/${kind === 'card' ? 'cards' : 'accounts'}/${encodeURIComponent(ref)}`;
}

/** @throws BankError */
export async function listAccounts(data: Data, access: ConsentAccess, { cards }: { cards: boolean }) {
  const list = async (path: string) => (await data.ask(access, path, { list: true })).results;
  const accounts = (await list('/accounts')).flatMap(accountIn);
  return cards ? [...accounts, ...(await list('/cards')).flatMap(cardIn)] : accounts;
}

/** An account without a usable id cannot be read. */
function accountIn(row: unknown): BankAccount[] {
  const { success, data } = ACCOUNT.safeParse(row);
  if (!success) return [];
  const { sort_code, number, iban } = data.account_number;
  return [
    {
      ref: data.account_id,
      kind: KINDS[data.account_type ?? ''] ?? 'other',
      name: data.display_name ?? 'Account',
      currency: currencyIn(data.currency) ?? NO_CURRENCY,
      sortCode: /^\d{2}-?\d{2}-?\d{2}$/.test(sort_code ?? '') ? sort_code!.replaceAll('-', '') : null,
      accountNumber: /^\d{8}$/.test(number ?? '') ? number : null,
      iban: wholeIban(iban),
      last4: null,
    },
  ];
}

function cardIn(row: unknown): BankAccount[] {
  const { success, data } = CARD.safeParse(row);
  if (!success) return [];
  return [
    {
      ref: data.account_id,
      kind: 'card',
      name: data.display_name ?? 'Card',
      currency: currencyIn(data.currency) ?? NO_CURRENCY,
      ...{ sortCode: null, accountNumber: null, iban: null },
      last4: /\d{4}$/.exec(data.partial_card_number ?? '')?.[0] ?? null,
    },
  ];
}

/** @throws BankError */
export async function readBalance(data: Data, access: ConsentAccess, account: Account): Promise<BankBalance> {
  return balanceIn(await data.ask(access, `${pathOf(account)}/balance`, { list: false }), account);
}

/** A figure that is missing, or in another currency than the account's, is null. */
function balanceIn({ results, bankNow }: Results, { kind, currency }: Account): BankBalance {
  const told = BALANCE.parse(results[0]);
  const figure = (value: z.output<typeof numeral>) => (told.currency === currency ? minorUnits(value, currency) : null);
  const current = figure(told.current);
  const isCard = kind === 'card';
  const at = new Date(told.update_timestamp ?? '');
  return {
    // A card's is what the person owes.
    current: isCard && current !== null ? 0 - current : current,
    available: figure(told.available),
    creditLine: figure(isCard ? told.credit_limit : told.overdraft),
    asOf: Number.isNaN(at.getTime()) ? bankNow : at,
  };
}
