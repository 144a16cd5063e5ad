import { DomainError } from '../../domain/errors.ts';

/** The refusal that a rule throws. */
export function refusalOf(work: () => unknown): DomainError {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Code and figures of a refusal. The code is `done` if nothing was refused. */
export const outcomeOf = (work: Promise<unknown>): Promise<{ code: string; extra: Record<string, unknown> }> =>
  work.then(
    () => ({ code: 'done', extra: {} }),
    (error: unknown) => {
      if (error instanceof DomainError) return { code: error.code, extra: error.extra };
      throw error;
    },
  );
