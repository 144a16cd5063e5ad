import type { CalendarDate } from './dates.ts';
import type { Pence } from './money.ts';
import type { IncomeEvidence } from './paycheck/evidence.ts';
import type { PunctualityCount } from './reliability.ts';

export const FREQUENCIES = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'ANNUAL'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** The score uses the latest paychecks, at most this many. */
export const PAYCHECKS_COUNTED = 6;

export interface Finances {
  /** Now. With `lowestOn`, the least of the days ahead, on that day. */
  safeToSpend: Pence;
  lowestOn?: CalendarDate;
  buffer: Pence;
  /** Newest first. At least one, at most `PAYCHECKS_COUNTED`. */
  grossPays: readonly Pence[];
  /** The evidence of the newest paycheck. */
  incomeBasis: IncomeEvidence;
  /** Payments of the last 12 months. */
  payments: PunctualityCount;
}
