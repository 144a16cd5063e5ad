import { DomainError, type InputFault } from '../../domain/errors.ts';

const NAMES: Readonly<Record<string, string>> = { '/email': 'This', '/password': 'The password' };

export const PASSWORDS_DIFFER = 'The two passwords are different. Type the same password into both fields.';

/** Whether a fault concerns only the password fields of a form. */
export function isOfPassword(fault: string): boolean {
  return fault === PASSWORDS_DIFFER || fault.startsWith(NAMES['/password']!);
}

/**
 * Does the work that a form asks for. Returns faults as sentences for the page, or an empty list on success. Throws any
 * other error.
 */
export async function faultsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid-request') throw error;
    const faults = Array.isArray(error.extra.errors) ? (error.extra.errors as readonly InputFault[]) : [];
    if (faults.length === 0) return [error.message];
    return faults.map(({ pointer, detail }) => `${NAMES[pointer] ?? pointer.slice(1)} ${detail}.`);
  }
}
