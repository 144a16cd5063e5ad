import { doubtsOf } from '../../domain/documents.ts';
import { plausibilityOf } from '../../domain/legacy/plausible.ts';
import type { Page } from '../../domain/legacy/page.ts';
import { REVIEW_REASONS, type Extract, type Extraction, type ReadOutcome } from '../../domain/legacy/reading.ts';
import { failedBy, Unreadable } from './failure.ts';

export const MOST_PAGES = 10;

export type ReadBy = 'text' | 'ocr' | 'both';

export interface Found {
  pages: Page[];
  reading: Extraction | null;
}

export interface Read {
  found: Found;
  by: ReadBy;
  /** Includes pages after those with the reading. */
  pages: readonly Page[];
  pageCount: number;
}

/** `extract` reads each page alone to find other payslips. */
export async function outcomeOf(
  { found: { reading, pages: used }, by, pages, pageCount }: Read,
  extract: Extract,
): Promise<ReadOutcome> {
  const isCut = pageCount > MOST_PAGES;
  const nothing = new Unreadable(isCut ? NOTHING_WITHIN_LIMIT : NOTHING_FOUND, 'no-payslip-found');
  if (reading === null) return failedBy(nothing);
  const others = pages.filter(({ number }) => !used.some((page) => page.number === number));
  const reasons = await plausibilityOf(reading, [...used, ...others], extract);
  if (reasons === 'no-payslip') return failedBy(nothing);
  const all = [...doubtsOf(reading), ...reasons, ...(isCut ? (['page-limit'] as const) : [])];
  const review_reasons = REVIEW_REASONS.filter((reason) => all.includes(reason));
  return { kind: 'read', reading: { ...reading, review_reasons }, pages_read: used.length, by };
}

const NOTHING_FOUND =
  'No payslip, P60 or P45 was found in the file. Send the document as a PDF, or as a sharp picture of the whole page in even light.';
const NOTHING_WITHIN_LIMIT = `No payslip, P60 or P45 was found in the first ${MOST_PAGES} pages of the file, and later pages are not read. Send only the pages of the document, as a PDF.`;
