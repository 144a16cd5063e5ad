import { Decimal } from 'decimal.js';

/** A whole number of pence; never a fraction, never beyond what a double holds exactly. */
export type Pence = number & { readonly __unit: 'pence' };

/** A decimal ratio as text: digits with an optional fraction, for example `"0.10"`. */
export type Ratio = string;

/** The largest amount a caller may name in one request: one billion pounds. */
export const MAX_AMOUNT = 100_000_000_000 as Pence;

/** A private copy of decimal.js, so that nobody else's settings affect ours: 40 digits, halves away from zero. */
const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 40 });

/**
 * Treats a number as an amount in pence.
 * @throws RangeError if it is not a whole number that a double holds exactly.
 */
export function pence(value: number): Pence {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of pence`);
  return value as Pence;
}

/** Adds amounts. @throws RangeError if the sum cannot be held exactly. */
export function sum(amounts: readonly Pence[]): Pence {
  return pence(amounts.reduce<number>((total, amount) => total + amount, 0));
}

/** An exact decimal of a ratio or an amount, for formulas that round once at their end. */
export function exact(value: Ratio | number): Decimal {
  return new Exact(value);
}

/** The only rounding in the project: half up (away from zero), when a figure becomes pence. */
export function roundHalfUp(value: Decimal): Pence {
  return pence(value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber());
}

/** `amount x ratio` in pence, rounded half up once. */
export function share(amount: Pence, ratio: Ratio): Pence {
  return roundHalfUp(exact(amount).times(ratio));
}

/** `part / whole` as a decimal string of `places` digits, rounded half up; zero if `whole` is zero. */
export function ratioOf(part: Pence, whole: Pence, places = 4): Ratio {
  if (whole === 0) return exact(0).toFixed(places);
  return exact(part).dividedBy(whole).toFixed(places, Decimal.ROUND_HALF_UP);
}

/** The smaller of two amounts. */
export function least(a: Pence, b: Pence): Pence {
  return a < b ? a : b;
}

/** An amount in pence for people to read: 123456 becomes `£1,234.56`. */
export function inPounds(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${amount < 0 ? '-' : ''}£${whole}.${digits.slice(-2)}`;
}
