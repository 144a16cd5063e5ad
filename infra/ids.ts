import { randomUUIDv7 } from 'node:crypto';

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

/** Returns an id such as `pay_0190…`. Ids sort by the millisecond of their creation. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUIDv7()}`;
}
