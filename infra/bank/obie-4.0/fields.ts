import { record } from './json.ts';

/*
 * Fields of the account information API. A field that is missing, masked or malformed is null.
 */

const LONGEST_TEXT = 500;
/** The standard allows 13 digits before the point. */
const AMOUNT = /^(-?)(\d{1,13})(?:\.(\d*?)0*)?$/;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** Control characters, and those that change the direction in which text is shown. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}]+/gu;

/** Trimmed, and without control characters. A blank text is missing. */
export function textIn(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, 2 * LONGEST_TEXT)
    .replace(INVISIBLE, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
  return text === '' ? null : text.toWellFormed();
}

const places = new Map<string, number>();

function placesOf(currency: string): number {
  let known = places.get(currency);
  if (known === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    places.set(currency, (known = format.resolvedOptions().maximumFractionDigits ?? 2));
  }
  return known;
}

/** Minor units. Null if the amount is in another currency, or has a fraction of a minor unit. */
export function minorUnitsIn(money: Record<string, unknown>, currency: string): number | null {
  const { Amount: amount, Currency: named } = money;
  const parts = typeof amount === 'string' && named === currency ? AMOUNT.exec(amount) : null;
  const most = placesOf(currency);
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

/** By the check digits of ISO 13616. */
export function ibanIn(account: Record<string, unknown>): string | null {
  if (account['SchemeName'] !== 'UK.OBIE.IBAN') return null;
  const iban = String(account['Identification']).replaceAll(' ', '');
  if (!IBAN.test(iban)) return null;
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n ? iban : null;
}

/** Banks mask the other digits of a card. */
export function lastDigitsIn(account: Record<string, unknown>): string | null {
  if (account['SchemeName'] !== 'UK.OBIE.PAN') return null;
  return /\d{4}$/.exec(String(account['Identification']))?.[0] ?? null;
}
