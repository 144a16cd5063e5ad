import type { Page } from '../../domain/legacy/page.ts';
import type { Extraction } from '../../domain/legacy/reading.ts';
import { withChild } from './child.ts';
import { typed } from './legacy-pages.ts';

/** Starts the reader and its model in a separate process, which ends with the tests of the file. */
export function withReader() {
  const send = withChild<Extraction | null>('legacy-process.ts');
  const extractReading = (pages: readonly Page[]): Promise<Extraction | null> => send(pages);
  return {
    extractReading,
    /** Reads one page of typed text, which is a payslip, P60 or P45. */
    readText: async (text: string): Promise<Extraction> => (await extractReading([typed(text)]))!,
  };
}

/** Returns the reading's five amounts as pairs: the pence, and whether the amount is certain. */
export const amountsOf = ({ gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted }: Extraction) =>
  [gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted].map((field) => [
    field?.value ?? null,
    (field?.confidence ?? 0) >= 0.9,
  ]);

/** Makes pairs like those of `amountsOf`, all certain. */
export const sure = (...pence: number[]) => pence.map((one) => [one, true]);
