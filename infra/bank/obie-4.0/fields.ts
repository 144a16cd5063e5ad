import { decimalPlacesOf, wholeIban } from '../values.ts';
import { record } from './json.ts';

/*
 * Fields of the account information API. A field that is missing, masked or malformed is null.
 */

/** The standard allows 13 digits before the point. */
const AMOUNT = /^(-?)(\d{1,13})(?:\.(\d*?)0*)?$/;

/** Minor units. Null if the amount is in another currency, or has a fraction of a minor unit. */
export function minorUnitsIn(money: Record<string, unknown>, currency: string): number | null {
  const { Amount: amount, Currency: named } = money;
  const parts = typeof amount === 'string' && named === currency ? AMOUNT.exec(amount) : null;
  const most = decimalPlacesOf(currency);
  const [, sign, whole, fraction = ''] = parts ?? [];
  if (parts === null || fraction.length > most) return null;
  const units = Number(`${whole}${fraction.padEnd(most, '0')}`);
  return Number.isSafeInteger(units) ? signed(units, sign === '-') : null;
}

/** The sign comes from the indicator. Null if that is unknown, or a credit is negative. */
export function signedIn(of: Record<string, unknown>, currency: string): number | null {
  const { Amount: money, CreditDebitIndicator: indicator } = of;
  const amount = minorUnitsIn(record(money), currency);
  if (amount === null) return null;
  if (indicator === 'Debit') return signed(Math.abs(amount), true);
  return indicator === 'Credit' && amount >= 0 ? amount : null;
}

function signed(units: number, isNegative: boolean): number {
  return isNegative && units !== 0 ? -units : units;
}

/** Six and eight digits. */
export function sortCodeIn(account: Record<string, unknown>): { sortCode: string; accountNumber: string } | null {
  if (account['SchemeName'] !== 'UK.OBIE.SortCodeAccountNumber') return null;
  const parts = /^(\d{6})(\d{8})$/.exec(String(account['Identification']));
  return parts && { sortCode: parts[1]!, accountNumber: parts[2]! };
}

export function ibanIn(account: Record<string, unknown>): string | null {
  return account['SchemeName'] === 'UK.OBIE.IBAN' ? wholeIban(account['Identification']) : null;
}

/** Banks mask the other digits of a card. */
export function lastDigitsIn(account: Record<string, unknown>): string | null {
  if (account['SchemeName'] !== 'UK.OBIE.PAN') return null;
  return /\d{4}$/.exec(String(account['Identification']))?.[0] ?? null;
}
