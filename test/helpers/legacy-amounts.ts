import type { Page } from '../../domain/legacy/page.ts';
import type { Extraction } from '../../domain/legacy/reading.ts';
import { withChild } from './child.ts';
import { typed } from './legacy-pages.ts';

export function withReader() {
  const send = withChild<Extraction | null>('legacy-process.ts');
  const extractReading = (pages: readonly Page[]): Promise<Extraction | null> => send(pages);
  return {
    extractReading,
    readText: async (text: string): Promise<Extraction> => (await extractReading([typed(text)]))!,
  };
}

/** Returns the five amounts in pence, each with whether it is certain. */
export const amountsOf = ({ gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted }: Extraction) =>
  [gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted].map((field) => [
    field?.value ?? null,
    (field?.confidence ?? 0) >= 0.9,
  ]);

export const sure = (...pence: number[]) => pence.map((one) => [one, true]);
