import { certaintyOf, isFromOcr } from './cell.ts';
import type { AmountField, DocumentType, Extraction } from './reading.ts';
import type { Solution, Solved } from './solve.ts';
import type { Said } from './spans.ts';

/** Confidences, 0 to 1, and the probabilities and leads that they need. The README of `tools/training` has the measurements. */
export const CONFIDENCE = {
  /** A probability above this counts as certain, likely and possible. */
  certain: 0.99,
  likely: 0.97,
  possible: 0.8,
  /** How much lower each solution with another amount must score, for an amount to count as certain. */
  leastLead: 5,
  /** The lead that makes up for a probability that is only possible. */
  clearLead: 6.5,
  /** Of an amount that the sums confirm, in text and by OCR. */
  confirmed: { text: 0.99, ocr: 0.97 },
  /** Of an amount that is the legal one for the gross pay, or that no sum contradicts. */
  unopposed: 0.93,
  /** Of any other amount. An amount that is not likely has this share of its probability. */
  unconfirmed: { likely: 0.78, share: 0.6 },
  /** Of an amount that was computed from others, or that no sum contains. */
  inferred: 0.7,
  /** Of a text. A text that is not likely has this share of its probability. */
  text: { likely: 0.95, share: 0.85 },
  /** The factor for each text that OCR read, because OCR may lose spaces. */
  ocrText: 0.97,
} as const;

const round = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;

export function amountConfidence(
  { figures, probability, lead, isInferred, isStatutory }: Solved,
  field: AmountField,
  { totalsClose, linesClose }: Pick<Solution, 'totalsClose' | 'linesClose'>,
  type: DocumentType,
): number {
  const { certain, likely, possible, leastLead, clearLead, confirmed, unopposed, unconfirmed, inferred } = CONFIDENCE;
  if (isInferred) return inferred;
  const certainty = certaintyOf(figures);
  const inTotals = totalsClose === true && (field === 'gross_pay' || field === 'net_pay');
  const isSure = lead > leastLead && (probability > likely || (probability > possible && lead > clearLead));
  if ((linesClose === true || inTotals) && isSure) return isFromOcr(figures) ? confirmed.ocr : confirmed.text;
  if (isStatutory === true && probability > possible && lead > leastLead) return round(unopposed * certainty);
  const isClear = type === 'payslip' ? probability > certain && lead > leastLead : probability > likely;
  if (isClear && totalsClose !== false && linesClose !== false) return round(unopposed * certainty);
  return round((probability > likely ? unconfirmed.likely : unconfirmed.share * probability) * certainty);
}

export function textConfidence({ words, probability }: Said<unknown>): number {
  const { likely, text, ocrText } = CONFIDENCE;
  const certainty = isFromOcr(words) ? ocrText * certaintyOf(words) : 1;
  return round((probability > likely ? text.likely : text.share * probability) * certainty);
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
