import type { Diagnosis } from './interface.ts';

export type DiagnosisStep = readonly [step: string, work: () => Promise<string>];

/** Ends with the first step that fails. */
export async function* inSteps(steps: readonly DiagnosisStep[]): AsyncIterable<Diagnosis> {
  for (const [step, work] of steps) {
    const result = await work().then(
      (detail) => ({ step, ok: true, detail }),
      (error: unknown) => ({ step, ok: false, detail: error instanceof Error ? error.message : String(error) }),
    );
    yield result;
    if (!result.ok) return;
  }
}
