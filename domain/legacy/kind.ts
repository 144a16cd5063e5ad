import type { Sheet } from './cells.ts';
import { tall } from './geometry.ts';
import { labelOf } from './labels.ts';
import type { DocumentType } from './reading.ts';
import { canonical } from './spelling.ts';

/** Recognises the type of document by the words on its pages; null if it is none that the service reads. */
export function kindOf(sheets: readonly Sheet[], hint?: DocumentType): DocumentType | null {
  const votes = { p60: formVotes(sheets, 'p60'), p45: formVotes(sheets, 'p45'), payslip: payslipVotes(sheets) };
  if (hint !== undefined) votes[hint] += 0.5;
  const best = (['p60', 'p45', 'payslip'] as const).toSorted((a, b) => votes[b] - votes[a])[0]!;
  return votes[best] >= 3 ? best : null;
}

const FORMS = {
  p60: [
    /\bend of year certificate\b/,
    /\btax year to 5 april\b|\byear to 5\b/,
    /\bin this employment\b/,
    /\bin previous employment\b/,
    /\btotal (pay |tax |tax deducted )?for (the )?(tax )?year\b/,
    /\bfinal tax code\b/,
  ],
  p45: [
    /\bee leaving( work)?\b|\bdetails of ee leaving\b/,
    /\bleaving date\b|\bdate of leaving\b/,
    /\btotal pay YTD\b/,
    /\btotal tax YTD\b/,
    /\btax code at leaving\b/,
    /\bthis employment pay\b|\bpay in this employment\b/,
  ],
} as const;

function formVotes(sheets: readonly Sheet[], form: 'p60' | 'p45'): number {
  const cells = sheets.flatMap((sheet) => sheet.cells);
  const words = cells.map((cell) => canonical(cell.text)).join(' | ');
  const said = FORMS[form].filter((pattern) => pattern.test(words)).length;
  const title = cells.some(
    (cell) =>
      new RegExp(String.raw`^\W*(your |employee |form )?${form}\b`, 'i').test(cell.text) &&
      (tall(cell) > 1.15 || cell.text.length < 40),
  );
  return said * 1.5 + (title ? 2.5 : 0);
}

const WORDS = [
  /\bpayslip\b|\bpay slip\b|\bpay (advice|statement)\b|\bpayroll\b/,
  /\btax code\b/,
  /\bni (number|no|cat|category|letter|table|code)\b/,
  /\bni\b/,
  /\bpaye\b|\bincome tax\b|\btax paid\b/,
  /\bnet pay\b|\btakehome\b/,
  /\bgross\b|\btotal (pay|payment|earnings)\b/,
  /\bdeductions\b/,
  /\bpay (date|period)\b|\bpayment date\b|\btax (period|week|month)\b/,
  /\bYTD\b/,
  /\bpension\b/,
];

function payslipVotes(sheets: readonly Sheet[]): number {
  const cells = sheets.flatMap((sheet) => sheet.cells);
  const words = cells.map((cell) => canonical(cell.text)).join(' | ');
  const fields = new Set(cells.map((cell) => labelOf(cell.text)?.field));
  const money = fields.has('gross') || fields.has('net') || fields.has('deductions') || fields.has('total');
  const held = fields.has('tax') || fields.has('ni');
  const said = WORDS.filter((pattern) => pattern.test(words)).length;
  return (money && held) || said >= 5 ? said : Math.min(said, 2);
}
