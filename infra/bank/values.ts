/* What banks write, whichever API they speak. A value that is missing, masked or malformed is null. */

const LONGEST_TEXT = 500;
/** Control characters, and those that change the direction in which text is shown. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}]+/gu;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** Trimmed, and without control characters. A blank text is missing. */
export function plainText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, 2 * LONGEST_TEXT)
    .replace(INVISIBLE, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
  return text === '' ? null : text.toWellFormed();
}

/** By the check digits of ISO 13616. */
export function wholeIban(value: unknown): string | null {
  const iban = typeof value === 'string' ? value.replaceAll(' ', '') : '';
  if (!IBAN.test(iban)) return null;
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n ? iban : null;
}

const decimalPlaces = new Map<string, number>();

/** How many digits of a currency of ISO 4217 stand after the point: 2 for pounds, none for yen. */
export function decimalPlacesOf(currency: string): number {
  const known = decimalPlaces.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const places = format.resolvedOptions().maximumFractionDigits ?? 2;
  decimalPlaces.set(currency, places);
  return places;
}

const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Reads `Retry-After`: seconds, or a date. At most a day from now. */
export function retryAfter(header: string | undefined): Date | null {
  const now = Date.now();
  const at = /^\d{1,9}$/.test(header ?? '') ? now + Number(header) * 1_000 : Date.parse(header ?? '');
  return Number.isNaN(at) ? null : new Date(Math.min(Math.max(at, now), now + LONGEST_WAIT_MS));
}
