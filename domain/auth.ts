import { DAY_MS } from './dates.ts';
import { DomainError, invalidInput } from './errors.ts';

/** `write:x` implies `read:x`. */
export const SCOPES = [
  'read:profile',
  'write:profile',
  'read:paycheck',
  'write:paycheck',
  'read:debt',
  'write:debt',
  'read:payments',
  'write:payments',
  'read:bank',
  'write:bank',
  'read:yield',
  'write:yield',
  'read:allocations',
  'write:allocations',
  'read:credential',
  'write:credential',
  'read:affordability',
  'write:affordability',
  'read:documents',
  'write:documents',
  'read:vault',
  'write:vault',
  'reveal:vault',
  'admin:audit',
  'admin:owners',
  'assert:income',
  'vouch:payees',
] as const;
export type Scope = (typeof SCOPES)[number];

export type Principal =
  | {
      kind: 'user';
      userId: string;
      familyId: string;
      /** Null after a sign-in with the password. */
      clientId: string | null;
      scopes: readonly Scope[];
    }
  | {
      kind: 'api_key';
      keyId: string;
      appId: string;
      lineage: string;
      environment: 'sandbox' | 'production';
      scopes: readonly Scope[];
      incomeLimits?: IncomeLimits | undefined;
      /** Requests per minute. If undefined, the deployment's limit applies. */
      perMinute?: number | undefined;
    };

/** Pence in a calendar month: for each owner, and for all owners together. */
export interface IncomeLimits {
  perOwner: number;
  perMonth: number;
}

/** An operator grants these scopes to API keys. People cannot consent to these scopes. */
const KEY_SCOPES: readonly Scope[] = [
  'read:vault',
  'write:vault',
  'reveal:vault',
  'write:yield',
  'admin:audit',
  'admin:owners',
  'assert:income',
  'vouch:payees',
];

export const LOGIN_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !KEY_SCOPES.includes(scope));

export function covers(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes(needed) || granted.includes(needed.replace(/^read:/, 'write:') as Scope);
}

/** An id that stays the same when an API key is rotated, for limits and audit. */
export function callerOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.lineage;
}

export function mayAssertIncome(principal: Principal | null): boolean {
  return principal?.kind === 'api_key' && principal.scopes.includes('assert:income');
}

export function hasOwnersScope({ kind, scopes }: Principal): boolean {
  return kind === 'api_key' && scopes.includes('admin:owners');
}

/** The owner that the request names at `pointer` or, if it names none, the calling user. */
export function ownerFor(principal: Principal, named: string | undefined, pointer: string): string {
  if (named !== undefined) return named;
  if (principal.kind === 'user') return principal.userId;
  throw invalidInput(pointer, 'is required with an API key: send the id of the owner');
}

/** The path limit of RFC 5321, section 4.5.3.1.3, minus the angle brackets. */
const MAX_EMAIL = 254;
const MAX_LOCAL_PART = 64;
const MAX_DOMAIN = 253;

/** RFC 5322's dot-atom, with RFC 6531's letters, marks and digits. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u;

export function normaliseEmail(given: string): string {
  return given.normalize('NFKC').trim();
}

export function isEmail(email: string): boolean {
  const at = email.lastIndexOf('@');
  const localPart = email.slice(0, Math.max(at, 0));
  return (
    email.length <= MAX_EMAIL &&
    localPart.length <= MAX_LOCAL_PART &&
    LOCAL_PART.test(localPart) &&
    asciiDomain(email.slice(at + 1)) !== undefined
  );
}

/** The form in which domains are compared (IDNA), or undefined if this is no domain of two labels or more. */
function asciiDomain(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN || !DOMAIN.test(domain)) return undefined;
  const ascii = URL.parse(`http://${domain}`)?.hostname ?? '';
  return ascii.length <= MAX_DOMAIN && DOMAIN.test(ascii) ? ascii : undefined;
}

function withAsciiDomain(email: string): string {
  const start = email.lastIndexOf('@') + 1;
  const domain = email.slice(start);
  return email.slice(0, start) + (asciiDomain(domain) ?? domain);
}

/** Gives all spellings that count as the same email address one spelling, for the keyed hash. */
export function emailIdentity(given: string): string {
  return withAsciiDomain(normaliseEmail(given)).toUpperCase().toLowerCase().normalize('NFKC');
}

/** Whether two addresses differ at most in the case of ASCII letters, and in the spelling of their domain. */
export function isSameMailbox(one: string, other: string): boolean {
  const folded = (email: string) => withAsciiDomain(email).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return folded(one) === folded(other);
}

export function mailDomainOf(email: string): string {
  const ascii = withAsciiDomain(email);
  return ascii.slice(ascii.lastIndexOf('@') + 1);
}

export function checkBufferRate(rate: string): string {
  if (/^(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/.test(rate)) return rate;
  throw invalidInput('/buffer_rate', 'must be a decimal string from "0" to "1" with at most four decimal places');
}

export const ACCESS_TOKEN_SECONDS = 3_600;
const REFRESH_TOKEN_DAYS = 30;
const FAMILY_DAYS = 90;
/** A refresh token repeated within this time gets the same new tokens, because the first response may be lost. */
export const LOST_REPLY_SECONDS = 30;

export function refreshExpiry(now: Date, familyExpiresAt: Date): Date {
  return new Date(Math.min(now.getTime() + REFRESH_TOKEN_DAYS * DAY_MS, familyExpiresAt.getTime()));
}

export function familyExpiry(now: Date): Date {
  return new Date(now.getTime() + FAMILY_DAYS * DAY_MS);
}

/** Instants are ISO 8601. */
export interface PresentedRefresh {
  client_id: string | null;
  expires_at: string;
  family_expires_at: string;
  ended_at: string | null;
  rotated_at: string | null;
}

/** `replay` means to send the same response again, and `end` means to revoke the family. */
export function judgeRefresh(
  token: PresentedRefresh,
  clientId: string | undefined,
  now: Date,
): 'rotate' | 'replay' | 'end' | 'refuse' {
  if (token.ended_at !== null) return 'refuse';
  if (clientId === undefined ? token.client_id !== null : clientId !== token.client_id) {
    return clientId === undefined ? 'refuse' : 'end';
  }
  if (token.rotated_at !== null) {
    return now.getTime() - Date.parse(token.rotated_at) <= LOST_REPLY_SECONDS * 1_000 ? 'replay' : 'end';
  }
  return now < new Date(token.expires_at) && now < new Date(token.family_expires_at) ? 'rotate' : 'refuse';
}

export function parseScopes(written: string): Scope[] {
  const names = [...new Set(written.split(/\s+/).filter((name) => name !== ''))];
  const unknown = names.filter((name) => !(SCOPES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw invalidInput('/scopes', `There is no scope ${unknown.join(', ')}. The scopes are: ${SCOPES.join(' ')}.`);
  if (names.length === 0)
    throw invalidInput('/scopes', `Name at least one scope. The scopes are: ${SCOPES.join(' ')}.`);
  return names as Scope[];
}

export function narrowedScopes(written: string, granted: readonly Scope[]): Scope[] {
  const names = [...new Set(written.split(' ').filter((name) => name !== ''))];
  const isGranted = (name: string): name is Scope =>
    (SCOPES as readonly string[]).includes(name) && covers(granted, name as Scope);
  if (names.length > 0 && names.every(isGranted)) return names;
  throw new DomainError('invalid-scope', `Request only scopes that were granted: ${granted.join(' ')}.`);
}
