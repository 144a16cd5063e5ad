import { invalidInput } from './errors.ts';

/** How the service's own ids begin. No owner of an application begins so. */
export const RESERVED_PREFIXES = [
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

const PREFIX = /^[^\p{C}]{1,64}$/u;

/** Whether an id is a registered person's. A person belongs to no application. */
export function isPerson(ownerId: string): boolean {
  return ownerId.startsWith('usr_');
}

/** Whether an id begins like one of the service's own. */
export function isReserved(ownerId: string): boolean {
  return RESERVED_PREFIXES.some((prefix) => ownerId.startsWith(prefix));
}

/**
 * Checks a prefix of owner ids that an application is to get.
 * @throws DomainError `invalid-request` where it overlaps one that is taken or the service's own: then one id would fit both.
 */
export function requireOwnerPrefix(prefix: string, taken: readonly string[]): void {
  if (!PREFIX.test(prefix)) throw invalidInput('/owner_prefix', 'An owner prefix is 1 to 64 printable characters.');
  const other = [...RESERVED_PREFIXES, ...taken].find((one) => one.startsWith(prefix) || prefix.startsWith(one));
  if (other === undefined) return;
  throw invalidInput('/owner_prefix', `The prefix ${prefix} overlaps ${other}, which is taken.`);
}
