import type { AccountKind, BankAccount, BankBalance } from '../interface.ts';
import { plainText } from '../values.ts';
import { ibanIn, lastDigitsIn, minorUnitsIn, signedIn, sortCodeIn } from './fields.ts';
import { list, record } from './json.ts';

/** Codes of ExternalCashAccountType1Code. The other codes are of kind `other`. */
const KINDS: Readonly<Record<string, AccountKind>> = {
  CACC: 'current',
  TRAN: 'current',
  SVGS: 'savings',
  LLSV: 'savings',
  CARD: 'card',
};
const GONE = ['Deleted', 'Disabled'];
const UNNAMED = 'Account';

/** Reads OBAccount6. Null if nobody can read the account, such as after a switch to another bank. */
export function accountIn(value: unknown): BankAccount | null {
  const told = record(value);
  const { AccountId: ref, Status: status, Currency: currency, AccountTypeCode: type } = told;
  if (typeof ref !== 'string' || ref === '' || GONE.includes(String(status))) return null;
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return null;
  const numbers = list(told['Account']).map(record);
  const first = <T>(read: (number: Record<string, unknown>) => T | null): T | null =>
    numbers.map(read).find((found) => found !== null) ?? null;
  const name = plainText(told['Nickname']) ?? first(({ Name }) => plainText(Name)) ?? plainText(told['Description']);
  const account = first(sortCodeIn);
  return {
    ref,
    kind: KINDS[String(type)] ?? 'other',
    name: name ?? UNNAMED,
    currency,
    sortCode: account?.sortCode ?? null,
    accountNumber: account?.accountNumber ?? null,
    iban: first(ibanIn),
    last4: first(lastDigitsIn),
  };
}

/** The newest figure first. Of OBBalanceType1Code, forward and expected balances are no figures of today. */
const CURRENT = ['ITBD', 'CLBD', 'OPBD', 'PRCD'];
const AVAILABLE = ['ITAV', 'CLAV', 'OPAV'];

interface Figure {
  amount: number;
  at: number;
  told: Record<string, unknown>;
}

/** Reads the entries of OBReadBalance1. */
export function balanceIn(
  entries: readonly unknown[],
  { ref, currency }: Pick<BankAccount, 'ref' | 'currency'>,
): BankBalance {
  const current = newest(CURRENT, entries, { ref, currency });
  const available = newest(AVAILABLE, entries, { ref, currency });
  const times = [current, available].flatMap((figure) => (figure === null ? [] : [figure.at]));
  return {
    current: current?.amount ?? null,
    available: available?.amount ?? null,
    creditLine: available === null ? null : creditIn(available.told, currency),
    asOf: new Date(Math.min(...times, times.length === 0 ? Date.now() : Infinity)),
  };
}

/** Of the first type that the bank tells, in the account's currency. */
function newest(
  types: readonly string[],
  entries: readonly unknown[],
  { ref, currency }: Pick<BankAccount, 'ref' | 'currency'>,
): Figure | null {
  for (const type of types) {
    const figures = entries
      .map(record)
      .filter(({ AccountId, Type }) => Type === type && (AccountId ?? ref) === ref)
      .flatMap((told): Figure[] => {
        const [amount, at] = [signedIn(told, currency), Date.parse(String(told['DateTime']))];
        return amount === null || Number.isNaN(at) ? [] : [{ amount, at, told }];
      })
      .sort((one, other) => other.at - one.at);
    if (figures[0] !== undefined) return figures[0];
  }
  return null;
}

/** The unused part of a line of credit, which is another line's amount again. */
const UNUSED = 'Available';

/** The credit in an amount. Null if the bank includes some, but does not say how much. */
function creditIn(balance: Record<string, unknown>, currency: string): number | null {
  const included = list(balance['CreditLine'])
    .map(record)
    .filter((line) => line['Included'] === true);
  const agreed = included.filter((line) => line['Type'] !== UNUSED);
  const amounts = (agreed.length > 0 ? agreed : included).map((line) => minorUnitsIn(record(line['Amount']), currency));
  return amounts.reduce((sum, amount) => (sum === null || amount === null || amount < 0 ? null : sum + amount), 0);
}
