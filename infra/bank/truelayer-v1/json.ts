import { exact } from '../../../domain/money.ts';
import { decimalPlacesOf } from '../values.ts';

/** A number as the JSON has it, because a double would change it. */
export class Numeral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepNumerals: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? new Numeral(source) : value;

/** Null unless the text is the JSON of an object. Its numbers are `Numeral`s. */
export function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text, keepNumerals as (key: string, value: unknown) => unknown);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** An exponent of more digits is no amount, and takes long to compute. */
const NUMERAL = /^-?\d{1,40}(?:\.\d{1,100})?(?:[eE][+-]?\d{1,2})?$/;

/** `currency` has three letters. Null if the number is no whole count of the currency's smallest unit, such as of pence. */
export function minorUnits(value: Numeral | null | undefined, currency: string): number | null {
  if (value == null || !NUMERAL.test(value.source)) return null;
  const amount = exact(value.source);
  const places = decimalPlacesOf(currency);
  if (amount.decimalPlaces() > places) return null;
  const units = Number(amount.times(`1e${places}`).toFixed());
  // Adding zero turns a negative zero into zero.
  return Number.isSafeInteger(units) ? units + 0 : null;
}
