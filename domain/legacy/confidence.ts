import type { Cell } from './cells.ts';
import type { Pick } from './choice.ts';
import { pence, type Pence } from '../money.ts';
import type { Said } from './spans.ts';
import type { AmountField, DocumentType, FieldReading, Reading } from './reading.ts';

const round = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;

/**
 * The confidence of words: `inText` for text in the file. For words in an image, `inText` times `inPicture` times the
 * lowest certainty of the OCR.
 */
export function confidenceOf(cells: readonly Cell[], inText: number, inPicture = 1): number {
  const read = cells.some((cell) => cell.source === 'ocr');
  return round(read ? inText * inPicture * Math.min(...cells.map((cell) => cell.probability)) : inText);
}

/**
 * Returns an amount with its confidence. Confirmed by arithmetic: 0.99 from text, 0.97 from an image. Computed and then
 * found on the page: 0.7. Otherwise: 0.8 times the lowest probability of its characters.
 */
export function amountReading(pick: Pick | null, confirmed: boolean): FieldReading<Pence> | null {
  if (pick === null) return null;
  const read = pick.figures.some((figure) => figure.source === 'ocr');
  const unsure = Math.min(...pick.figures.map((figure) => figure.probability)) * 0.8;
  const confidence = pick.inferred ? 0.7 : confirmed ? (read ? 0.97 : 0.99) : unsure;
  return { value: pence(pick.pence), confidence: round(confidence), page: pick.figures[0]!.page };
}

/** The amounts that each type of document prints. */
const PRINTED: Record<DocumentType, readonly AmountField[]> = {
  payslip: ['gross_pay', 'net_pay', 'tax_deducted', 'ni_deducted'],
  p60: ['gross_pay', 'tax_deducted', 'ni_deducted'],
  p45: ['gross_pay', 'tax_deducted'],
};

/** The lowest confidence of the amounts that this type of document prints; 0 if one of them is missing. */
export function overall(type: DocumentType, amounts: Pick2<Reading>): number {
  return Math.min(...PRINTED[type].map((field) => amounts[field]?.confidence ?? 0));
}

type Pick2<T extends Record<AmountField, unknown>> = { [K in AmountField]: T[K] };

const isSeen = (words: Said<unknown>['words']): boolean => words.some(({ source }) => source === 'ocr');

/** The confidence of a text that the model found. It is lower for an image, because OCR may lose spaces. */
export function textConfidence({ words, probability }: Said<unknown>): number {
  const letters = isSeen(words) ? 0.97 * Math.min(...words.map((word) => word.probability)) : 1;
  return round((probability > SURE ? 0.95 : 0.85 * probability) * letters);
}

/** From this probability on, a text or an amount that the model found counts as certain. */
export const SURE = 0.97;
