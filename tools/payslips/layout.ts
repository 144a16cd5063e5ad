import type { CalendarDate } from '../../domain/dates.ts';
import type { DocumentType } from '../../domain/legacy/reading.ts';
import type { Pay, PayOptions } from './figures.ts';
import type { P45, P60 } from './certificates.ts';
import type { Random } from './random.ts';
import type { Sheet, Typeface } from './sheet.ts';

/** A document's exact content. Amounts are pence. A value is null if the document does not contain it. */
export interface Truth {
  document_type: DocumentType;
  employer_name: string | null;
  /** The pay period as printed, on one line. */
  pay_period: string | null;
  gross_pay: number | null;
  net_pay: number | null;
  tax_deducted: number | null;
  ni_deducted: number | null;
  pension_deducted: number | null;
  pay_date: CalendarDate | null;
  /** In the form "2026-27". */
  tax_year: string | null;
  tax_code: string | null;
  paye_reference: string | null;
  ni_number: string | null;
  /** Other texts in the document that give the period correctly. */
  pay_period_also: string[];
}

/** What a layout prints: the period, and each value that it omits or prints differently from the given pay. */
export type Printed = Pick<Truth, 'pay_period'> & Partial<Omit<Truth, 'document_type'>>;

interface Common {
  name: string;
  /** The real document that the layout imitates. */
  like: string;
  size: readonly [number, number];
  /** The seed chooses one of them. */
  fonts: readonly Typeface[];
  /** In points. */
  fontSize: number;
}

export interface PayslipLayout extends Common {
  type: 'payslip';
  pay?: PayOptions;
  draw(sheet: Sheet, pay: Pay, random: Random): Printed;
}

export interface P60Layout extends Common {
  type: 'p60';
  draw(sheet: Sheet, certificate: P60, random: Random): Printed;
}

export interface P45Layout extends Common {
  type: 'p45';
  draw(sheet: Sheet, certificate: P45, random: Random): Printed;
}

export type Layout = PayslipLayout | P60Layout | P45Layout;
