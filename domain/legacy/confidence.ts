import type { AmountField, DocumentType, Extraction } from './reading.ts';
import type { Solution, Solved } from './solve.ts';
import type { Said } from './spans.ts';

const round = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;

const isFromOcr = (words: readonly { source: string }[]): boolean => words.some(({ source }) => source === 'ocr');
export const certaintyOf = (words: readonly { probability: number }[]): number =>
  Math.min(...words.map(({ probability }) => probability));

const CERTAIN = 0.99;
const SURE = 0.97;
const LIKELY = 0.8;
/** How much lower each solution with another amount must score, for an amount to count as certain. */
export const LEAST_LEAD = 5;
const LEAD = 6.5;
const INFERRED = 0.7;

/** 0 to 1. The README of `tools/training` has the measurements. */
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

/** Lower for an image, because OCR may lose spaces. */
export function textConfidence({ words, probability }: Said<unknown>): number {
  const certainty = isFromOcr(words) ? 0.97 * certaintyOf(words) : 1;
  return round((probability > SURE ? 0.95 : 0.85 * probability) * certainty);
}

export const PRINTED: Record<DocumentType, readonly AmountField[]> = {
  payslip: ['gross_pay', 'net_pay', 'tax_deducted', 'ni_deducted'],
  p60: ['gross_pay', 'tax_deducted', 'ni_deducted'],
  p45: ['gross_pay', 'tax_deducted'],
};

/** 0 if an amount that this type of document prints is missing. */
export function overall(type: DocumentType, amounts: Pick<Extraction, AmountField>): number {
  return Math.min(...PRINTED[type].map((field) => amounts[field]?.confidence ?? 0));
}
