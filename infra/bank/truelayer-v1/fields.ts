import * as z from 'zod';
import { plainText } from '../values.ts';
import { Numeral } from './json.ts';

/** Null if the field is missing, blank or no text. */
export const text = z
  .string()
  .transform((value) => plainText(value))
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

export const numeral = z.instanceof(Numeral).nullish().catch(null);

/** An object of which every field may be missing. The whole object may be, too. */
export const parts = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (typeof value === 'object' && !Array.isArray(value) ? (value ?? {}) : {}), z.object(shape));

/** An id that the service stores, and sends back in a path. */
export const id = z.string().regex(/^[\x21-\x7E]{1,255}$/);

/** Null unless the text has the form of a currency of ISO 4217. */
export function currencyIn(value: string | null): string | null {
  return value !== null && /^[A-Z]{3}$/.test(value) ? value : null;
}
