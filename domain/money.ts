import { Decimal } from 'decimal.js';

/** A whole number of pence, small enough for a double to hold it exactly. */
export type Pence = number & { readonly __unit: 'pence' };

/** A decimal, such as `"0.10"`. */
export type Ratio = string;

/** One billion pounds. */
export const MAX_AMOUNT = 100_000_000_000 as Pence;

/** A private copy of decimal.js, whose settings other code cannot change. */
const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 40 });

/** @throws RangeError unless the number is a safe integer. */
export function pence(value: number): Pence {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of pence`);
  return value as Pence;
}

export function sum(amounts: readonly Pence[]): Pence {
  return pence(amounts.reduce<number>((total, amount) => total + amount, 0));
}

/** For formulas that round only at the end. */
export function exact(value: Ratio | number): Decimal {
  return new Exact(value);
}

/** Halves are rounded away from zero. */
export function roundHalfUp(value: Decimal): Pence {
  return pence(value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber());
}

/** Rounded half up. */
export function share(amount: Pence, ratio: Ratio): Pence {
  return roundHalfUp(exact(amount).times(ratio));
}

/** Rounded half up. Zero if `whole` is zero. */
export function ratioOf(part: Pence, whole: Pence, places = 4): Ratio {
  if (whole === 0) return exact(0).toFixed(places);
  return exact(part).dividedBy(whole).toFixed(places, Decimal.ROUND_HALF_UP);
}

export function least(a: Pence, b: Pence): Pence {
  return a < b ? a : b;
}

/** -123456 in EUR becomes `-€1,234.56`. For people to read, not to calculate with. */
export function inMinorUnits(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** 123456 becomes `£1,234.56`. */
export function inPounds(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${amount < 0 ? '-' : ''}£${whole}.${digits.slice(-2)}`;
}
