import { DomainError, type InputFault } from '../../../domain/errors.ts';

const NAMES: Readonly<Record<string, string>> = { '/email': 'This', '/password': 'The password' };

export const PASSWORDS_DIFFER = 'The two passwords are different. Type the same password into both fields.';

export function isOfPassword(fault: string): boolean {
  return fault === PASSWORDS_DIFFER || fault.startsWith(NAMES['/password']!);
}

/** Returns the faults of `invalid-request` as sentences for the page, or an empty list on success. */
export async function faultsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return faultsIn(error);
  }
}

/** Returns the faults of `invalid-request` as sentences for the page. @throws every other error. */
export function faultsIn(error: unknown): readonly string[] {
  if (!(error instanceof DomainError) || error.code !== 'invalid-request') throw error;
  const faults = Array.isArray(error.extra.errors) ? (error.extra.errors as readonly InputFault[]) : [];
  if (faults.length === 0) return [error.message];
  return faults.map(({ pointer, detail }) => `${NAMES[pointer] ?? pointer.slice(1)} ${detail}.`);
}
