import type { Page, Word } from '../../domain/legacy/page.ts';
import { AMOUNT_FIELDS, type Extraction } from '../../domain/legacy/reading.ts';
import { withChild } from './child.ts';
import { changed, typed } from './legacy-pages.ts';

export function withReader() {
  const send = withChild<Extraction | null>('legacy-process.ts');
  const extractReading = (pages: readonly Page[]): Promise<Extraction | null> => send(pages);
  return {
    extractReading,
    readText: async (text: string): Promise<Extraction> => (await extractReading([typed(text)]))!,
    /** Reads a page as if it came from OCR. */
    readSeen: async (text: string, change: (word: Word) => Word = (word) => word): Promise<Extraction> =>
      (await extractReading([changed(typed(text, { source: 'ocr', probability: 0.97 }), change)]))!,
  };
}

/** Gross pay, net pay, tax, NI and pension in pence; `?` follows an amount that is not certain. */
export const amountsOf = (reading: Extraction): string =>
  AMOUNT_FIELDS.map((field) => {
    const found = reading[field];
    return found === null ? '-' : `${found.value}${found.confidence < 0.9 ? '?' : ''}`;
  }).join(' ');

export const penceOf = (reading: Extraction): string => amountsOf(reading).replaceAll('?', '');

/** Of the expected amounts, `~` follows one whose certainty does not matter, and `*` is any amount. */
export function expectAmounts(reading: Extraction, expected: string): void {
  const found = amountsOf(reading).split(' ');
  const given = expected.split(' ').map((one, place) => {
    const pence = found[place]!.replace('?', '');
    return one === '*' || one === `${pence}~` ? found[place] : one;
  });
  expect(found.join(' ')).toBe(given.join(' '));
}
