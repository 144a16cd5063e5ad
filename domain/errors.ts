import type { PROBLEMS } from './problems.ts';

export type ErrorCode = keyof typeof PROBLEMS;

/** `pointer` is a JSON pointer, or begins with `/query/`, `/path/` or `/header/`. */
export interface InputFault {
  pointer: string;
  detail: string;
}

/** Extra members of a problem document, which must not contain personal data. */
export type ErrorExtra = Readonly<Record<string, string | number | boolean | null | readonly InputFault[]>>;

/** An error that the caller can do something about. Any other error is an internal error. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly extra: ErrorExtra;

  constructor(code: ErrorCode, detail: string, extra: ErrorExtra = {}) {
    super(detail);
    this.code = code;
    this.extra = extra;
  }
}

/** Looks at which fields are present, not at their values. */
export function exactlyOne(fields: Readonly<Record<string, unknown>>): InputFault[] {
  const [preferred, other] = Object.keys(fields);
  const present = Object.values(fields).filter((value) => value !== undefined).length;
  if (present === 0) return [{ pointer: `/${preferred}`, detail: `is required, unless you send ${other}` }];
  return present === 1 ? [] : [{ pointer: `/${other}`, detail: `cannot be combined with ${preferred}` }];
}

export function invalidInput(pointer: string, detail: string): DomainError {
  return new DomainError('invalid-request', detail, { errors: [{ pointer, detail }] });
}

export function requireNoFaults(faults: readonly InputFault[]): void {
  const [only, ...others] = faults;
  if (only === undefined) return;
  if (others.length === 0) throw invalidInput(only.pointer, only.detail);
  throw new DomainError('invalid-request', 'Parts of the request are wrong. See the list of errors.', {
    errors: faults,
  });
}
