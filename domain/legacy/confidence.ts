import type { AmountField, DocumentType, Extraction } from './reading.ts';
import type { Solution, Solved } from './solve.ts';
import type { Said } from './spans.ts';

const round = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;

const isFromOcr = (words: readonly { source: string }[]): boolean => words.some(({ source }) => source === 'ocr');
/** The lowest of the words' probabilities. */
export const certaintyOf = (words: readonly { probability: number }[]): number =>
  Math.min(...words.map(({ probability }) => probability));

/** An amount that no sum confirms is certain above this probability. */
const CERTAIN = 0.99;
/** An amount that the sums confirm, an amount of a P60 or P45, or a text is certain above this probability. */
const SURE = 0.97;
const LIKELY = 0.8;
/** An amount counts as certain only if all solutions with a different amount have a score that is lower by this much. */
export const LEAST_LEAD = 5;
/** Like `LEAST_LEAD`, but for an amount that is only likely. */
const LEAD = 6.5;
const INFERRED = 0.7;

/** The confidence of an amount, 0 to 1. The README of `test/training` has the measurements. */
export function amountConfidence(
  { figures, probability, lead, isInferred, isStatutory }: Solved,
  field: AmountField,
  { totalsClose, linesClose }: Pick<Solution, 'totalsClose' | 'linesClose'>,
  type: DocumentType,
): number {
  if (isInferred) return INFERRED;
  const certainty = certaintyOf(figures);
  const inTotals = totalsClose === true && (field === 'gross_pay' || field === 'net_pay');
  const isSure = lead > LEAST_LEAD && (probability > SURE || (probability > LIKELY && lead > LEAD));
  if ((linesClose === true || inTotals) && isSure) return isFromOcr(figures) ? 0.97 : 0.99;
  if (isStatutory === true && probability > LIKELY && lead > LEAST_LEAD) return round(0.93 * certainty);
  const isClear = type === 'payslip' ? probability > CERTAIN && lead > LEAST_LEAD : probability > SURE;
  if (isClear && totalsClose !== false && linesClose !== false) return round(0.93 * certainty);
  return round((probability > SURE ? 0.78 : 0.6 * probability) * certainty);
}

/** The confidence of a text that the model found. It is lower for an image, because OCR may lose spaces. */
export function textConfidence({ words, probability }: Said<unknown>): number {
  const certainty = isFromOcr(words) ? 0.97 * certaintyOf(words) : 1;
  return round((probability > SURE ? 0.95 : 0.85 * probability) * certainty);
}

const PRINTED: Record<DocumentType, readonly AmountField[]> = {
  payslip: ['gross_pay', 'net_pay', 'tax_deducted', 'ni_deducted'],
  p60: ['gross_pay', 'tax_deducted', 'ni_deducted'],
  p45: ['gross_pay', 'tax_deducted'],
};

/** The lowest confidence of the amounts that this type of document prints; 0 if one of them is missing. */
export function overall(type: DocumentType, amounts: Pick<Extraction, AmountField>): number {
  return Math.min(...PRINTED[type].map((field) => amounts[field]?.confidence ?? 0));
}
