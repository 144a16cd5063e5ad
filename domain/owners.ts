import { DomainError, invalidInput } from './errors.ts';

/** Each id that the service makes begins with one of these prefixes and `_`. */
const ID_PREFIXES = [
  'usr',
  'calc',
  'vlt',
  'alloc',
  'pay',
  'prov',
  'plan',
  'accr',
  'cred',
  'doc',
  'chk',
  'key',
  'app',
  'evt',
  'conn',
  'cons',
  'jrn',
  'acct',
  'txn',
  'wage',
  'sync',
  'client',
  'dpay',
  'ent',
  'fam',
  'inv',
  'mov',
  'rst',
  'sip',
  'tra',
  'wdr',
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** An application may not give an owner an id with one of these prefixes. */
const SERVICE_PREFIXES = [...ID_PREFIXES.map((prefix) => `${prefix}_`), 'vault:', 'sign-in:'];

/** Stands for the owner of the consent that pays for people who connected no bank. */
export const HOUSE_ACCOUNT = 'house-account';

/** Audit events about the whole service have these subjects. */
const SERVICE_SUBJECTS: readonly string[] = ['vault', 'master-key', 'credential-key', 'business-clock', HOUSE_ACCOUNT];

/** In a URL, the ids `.` and `..` would mean another path. */
export function isOwnerId(text: string): boolean {
  return /^[^\p{C}]{1,128}$/u.test(text) && text !== '.' && text !== '..';
}

export function isServiceId(ownerId: string): boolean {
  return SERVICE_SUBJECTS.includes(ownerId) || SERVICE_PREFIXES.some((prefix) => ownerId.startsWith(prefix));
}

export function isPersonId(ownerId: string): boolean {
  return ownerId.startsWith('usr_');
}

export function otherOwner(): DomainError {
  return new DomainError('other-owner', 'With a user access token, the owner id must be the id of that user.');
}

export function ownerOfAnother(): DomainError {
  return new DomainError(
    'owner-of-another-application',
    'Your application has no access to this owner. The owner belongs to a different application, or is a person who has not granted the scope to your application. Or no owner has this id, and your application is not allowed to create an owner with it.',
  );
}

export function unknownOwner(): DomainError {
  return new DomainError(
    'unknown-owner',
    'No person is registered with this id. This id, or every id that begins like it, is reserved for the service. Choose a different owner id.',
  );
}

const PREFIX = /^[^\p{C}]{1,64}$/u;

/** Prefixes must not overlap, because an id could match both. */
export function requireOwnerPrefix(prefix: string, taken: readonly string[]): void {
  if (!PREFIX.test(prefix))
    throw invalidInput('/owner_prefix', 'An owner prefix must have 1 to 64 printable characters.');
  const other = [...SERVICE_PREFIXES, ...taken].find((one) => one.startsWith(prefix) || prefix.startsWith(one));
  if (other === undefined) return;
  throw invalidInput(
    '/owner_prefix',
    `The prefix ${prefix} overlaps with ${other}, which is already in use. Choose a different prefix.`,
  );
}
