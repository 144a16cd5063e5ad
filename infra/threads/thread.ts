import { DomainError } from '../../domain/errors.ts';
import type { Job, Outcome } from './index.ts';

/** What runs in a thread: it finds the job's function and does it. A refusal travels as its parts, since errors lose theirs. */
export default async function work({ module, name, input }: Job): Promise<Outcome> {
  const { [name]: calculate } = (await import(module)) as Record<string, (input: unknown) => unknown>;
  try {
    return { result: await calculate!(input) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { refusal: { code: error.code, detail: error.message, extra: error.extra } };
  }
}
