import { randomUUIDv7 } from 'node:crypto';
import type { IdPrefix } from '../domain/owners.ts';

/** Returns an id such as `pay_0190…`. Ids sort by the millisecond of their creation. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUIDv7()}`;
}
