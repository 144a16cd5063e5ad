import { callerOf, type Principal } from '../../../domain/auth.ts';
import { invalidInput } from '../../../domain/errors.ts';
import type { Services } from '../../../infra/services.ts';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** The key may be bare or a quoted string (RFC 8941, 3.3.3). */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const given = typeof header === 'string' ? header : header.join(', ');
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(given)?.[1];
  const key = quoted === undefined ? given : quoted.replace(/\\(["\\])/g, '$1');
  if (PRINTABLE.test(key)) return key;
  throw invalidInput('/header/idempotency-key', 'must be 1 to 255 printable ASCII characters');
}

/**
 * Identifies the sender: the person and the OAuth client, the API key or, for public operations, the IP address. One
 * client of a person never gets the stored responses of another.
 */
export function callerKey(principal: Principal | undefined, address: string, keys: Services['keys']): string {
  if (principal === undefined) return `address:${keys.blindIndex('caller address', address)}`;
  const client = principal.kind === 'user' && principal.clientId !== null ? ` ${principal.clientId}` : '';
  return `${callerOf(principal)}${client}`;
}

/** Does not depend on the order of the body's members. */
export function canonicalRequest(method: string, path: string, body: unknown): string {
  return `${method} ${path}\n${body === undefined ? '' : JSON.stringify(body, sortedMembers)}`;
}

function sortedMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
