import { extractReading } from '../../domain/legacy/extract.ts';
import type { Extraction } from '../../domain/legacy/reading.ts';
import { typed } from './legacy-pages.ts';

export const readText = (text: string): Extraction => extractReading([typed(text)])!;

/** The five amounts as pairs: pence, and whether the amount is certain. */
export const amountsOf = ({ gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted }: Extraction) =>
  [gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted].map((field) => [
    field?.value ?? null,
    (field?.confidence ?? 0) >= 0.9,
  ]);

/** Certain amounts in the form of `amountsOf`. */
export const sure = (...pence: number[]) => pence.map((one) => [one, true]);
