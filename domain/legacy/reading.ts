import type { CalendarDate } from '../dates.ts';
import type { Pence } from '../money.ts';
import type { Page } from './page.ts';

export type DocumentType = 'payslip' | 'p60' | 'p45';

/** A payslip's amounts are those of its period, a P60's those of its tax year, a P45's those up to the leaving date. */
export const AMOUNT_FIELDS = ['gross_pay', 'net_pay', 'tax_deducted', 'ni_deducted', 'pension_deducted'] as const;
export type AmountField = (typeof AMOUNT_FIELDS)[number];

/** `confidence` is 0 to 1, with two decimals. */
export interface FieldReading<T> {
  value: T;
  confidence: number;
  page: number;
}

/** `holds` is null if an amount is missing. */
export interface Check {
  name: 'net-is-gross-less-deductions' | 'deductions-add-up' | 'year-to-date-covers-period';
  holds: boolean | null;
}

/** The contract explains each code at `ReviewReason`. */
export const REVIEW_REASONS = [
  'low-confidence',
  'pension-uncertain',
  'several-payslips',
  'specimen',
  'register',
  'page-limit',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

export interface Extraction {
  document_type: DocumentType;
  employer_name: FieldReading<string> | null;
  /** The period as printed, on one line. */
  pay_period: FieldReading<string> | null;
  gross_pay: FieldReading<Pence> | null;
  net_pay: FieldReading<Pence> | null;
  tax_deducted: FieldReading<Pence> | null;
  ni_deducted: FieldReading<Pence> | null;
  pension_deducted: FieldReading<Pence> | null;
  /** On a P45, the leaving date. */
  pay_date: FieldReading<CalendarDate> | null;
  /** Such as "2025-26": as printed, or that of the pay date. */
  tax_year: FieldReading<string> | null;
  tax_code: FieldReading<string> | null;
  paye_reference: FieldReading<string> | null;
  /** Without spaces. The caller must encrypt the number. */
  ni_number: FieldReading<string> | null;
  checks: readonly Check[];
  /** Whether a counted pension may be something else, or another amount may be a pension. */
  pension_doubted?: boolean;
  register_likely?: boolean;
  /** The lowest confidence of the amounts that this type of document prints. 0 if one is missing. */
  confidence: number;
}

export interface Reading extends Extraction {
  /** In the order of `REVIEW_REASONS`. */
  review_reasons: readonly ReviewReason[];
}

/** Null if the pages are not a supported document. `hint` makes this type of document likelier. */
export type Extract = (pages: readonly Page[], hint?: DocumentType) => Promise<Extraction | null>;

export type ReadFailure = 'unreadable' | 'encrypted-pdf' | 'no-payslip-found' | 'document-too-complex';

export type ReadOutcome =
  | { kind: 'read'; reading: Reading; pages_read: number; by: 'text' | 'ocr' | 'both' }
  | { kind: 'failed'; code: ReadFailure; detail: string };
