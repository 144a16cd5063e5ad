import { DomainError } from '../../domain/errors.ts';
import type { Job, Outcome } from './index.ts';

/** Runs a job in a thread. Returns a DomainError as plain data, because copies of errors lose their fields. */
export default async function work({ module, name, input }: Job): Promise<Outcome> {
  const { [name]: calculate } = (await import(module)) as Record<string, (input: unknown) => unknown>;
  try {
    return { result: await calculate!(input) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { refusal: { code: error.code, detail: error.message, extra: error.extra } };
  }
}
