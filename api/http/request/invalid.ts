import { DomainError, type InputFault } from '../../../domain/errors.ts';

export function invalid(faults: readonly InputFault[]): DomainError {
  const many =
    faults.length === 1 ? 'One part of the request is wrong' : `${faults.length} parts of the request are wrong`;
  return new DomainError('invalid-request', `${many}. See the list of errors.`, { errors: faults });
}

/** A JSON Pointer (RFC 6901) with at most 100 characters of `name`. */
export function pointerTo(parent: string, name: string): string {
  const sane = name.slice(0, 100).toWellFormed();
  return `${parent}/${sane.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
