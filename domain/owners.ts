import { DomainError } from './errors.ts';

/** What the ids of the service itself begin with: no owner of an application has one that begins so. */
export const SERVICE_PREFIXES = [
  'usr_',
  'calc_',
  'vlt_',
  'alloc_',
  'pay_',
  'prov_',
  'plan_',
  'accr_',
  'cred_',
  'doc_',
  'chk_',
  'key_',
  'app_',
  'evt_',
  'vault:',
] as const;

/** Whether only the service gives out ids that begin so. */
export function isServiceId(ownerId: string): boolean {
  return SERVICE_PREFIXES.some((prefix) => ownerId.startsWith(prefix));
}

/** Whether it is the id of a registered person, or looks like one. */
export function isPersonId(ownerId: string): boolean {
  return ownerId.startsWith('usr_');
}

export function otherOwner(): DomainError {
  return new DomainError('other-owner', 'A user may name only its own id here.');
}

export function ownerOfAnother(): DomainError {
  return new DomainError(
    'owner-of-another-application',
    "This owner is not within reach of your key's application: it belongs to another one, or it is a person who has not granted the scope.",
  );
}

export function unknownOwner(): DomainError {
  return new DomainError(
    'unknown-owner',
    'Nobody is registered with this id, and ids that begin so are given out by the service alone.',
  );
}
