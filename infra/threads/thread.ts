import { DomainError } from '../../domain/errors.ts';
import type { Job, Outcome } from './index.ts';

/**
 * Runs in a thread: finds the job's function and calls it. A refusal is sent as its parts, because errors lose theirs
 * in the copy.
 */
export default async function work({ module, name, input }: Job): Promise<Outcome> {
  const { [name]: calculate } = (await import(module)) as Record<string, (input: unknown) => unknown>;
  try {
    return { result: await calculate!(input) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { refusal: { code: error.code, detail: error.message, extra: error.extra } };
  }
}
