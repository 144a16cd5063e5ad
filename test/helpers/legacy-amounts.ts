import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Page } from '../../domain/legacy/page.ts';
import type { Extraction } from '../../domain/legacy/reading.ts';
import { typed } from './legacy-pages.ts';

/** Starts the page reader and its scorer in a separate process, which ends with the tests of the file. */
export function withReader() {
  let child: ChildProcess | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const extractReading = (pages: readonly Page[]): Promise<Extraction | null> => {
    const read = turn.then(async () => {
      child ??= fork(new URL('legacy-process.ts', import.meta.url), { serialization: 'advanced', execArgv: [] });
      child.send(pages);
      const [reading] = (await once(child, 'message')) as [Extraction | null];
      return reading;
    });
    turn = read.catch(() => {});
    return read;
  };
  afterAll(async () => {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.disconnect();
    await gone;
  });
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

/** Pairs as `amountsOf` returns them, all certain. */
export const sure = (...pence: number[]) => pence.map((one) => [one, true]);
