import { randomUUIDv7 } from 'node:crypto';

/** Prefixes of the service's own identifiers; each is followed by a UUIDv7. */
export type IdPrefix =
  | 'usr'
  | 'calc'
  | 'vlt'
  | 'alloc'
  | 'pay'
  | 'prov'
  | 'key'
  | 'app'
  | 'client'
  | 'fam'
  | 'evt'
  | 'ent'
  | 'mov'
  | 'wdr'
  | 'tra'
  | 'plan'
  | 'dpay'
  | 'accr'
  | 'chk'
  | 'sip'
  | 'doc'
  | 'cred'
  | 'inv';

/** A new identifier: `pay_0190…`. Those of a later millisecond sort after it. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUIDv7()}`;
}
