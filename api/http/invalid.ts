import { DomainError, type InputFault } from '../../domain/errors.ts';

/** The one refusal of an input that does not fit, naming every fault. */
export function invalid(faults: readonly InputFault[]): DomainError {
  const many =
    faults.length === 1 ? 'One part of the request is wrong' : `${faults.length} parts of the request are wrong`;
  return new DomainError('invalid-request', `${many}. The field errors says where and why.`, { errors: faults });
}

/** The pointer to a member (RFC 6901), safe to print and of a sane length. */
export function pointerTo(parent: string, name: string): string {
  const sane = name.toWellFormed().slice(0, 100);
  return `${parent}/${sane.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
