import { DomainError, invalidInput } from './errors.ts';

/** All scopes. `write:x` implies `read:x`. */
export const SCOPES = [
  'read:profile',
  'write:profile',
  'read:paycheck',
  'write:paycheck',
  'read:debt',
  'write:debt',
  'read:payments',
  'write:payments',
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
  | { kind: 'user'; userId: string; familyId: string; scopes: readonly Scope[] }
  | {
      kind: 'api_key';
      keyId: string;
      appId: string;
      lineage: string;
      environment: 'sandbox' | 'production';
      scopes: readonly Scope[];
      incomeLimits?: IncomeLimits | undefined;
      /** How many requests the key may send per minute. If undefined, the deployment's limit applies. */
      perMinute?: number | undefined;
    };

/** The income that a key may assert in a calendar month, in pence: for each owner, and for all owners together. */
export interface IncomeLimits {
  perOwner: number;
  perMonth: number;
}

/** Only an operator grants these scopes, and only to API keys. People cannot consent to these scopes. */
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

/** The scopes of a password sign-in: all scopes except those only for API keys. */
export const LOGIN_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !KEY_SCOPES.includes(scope));

export function covers(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes(needed) || granted.includes(needed.replace(/^read:/, 'write:') as Scope);
}

/** The caller's stable id for idempotency and audit: the user's id, or one id for all rotations of an API key. */
export function callerOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.lineage;
}

/** Whether an income that this caller states needs no other evidence. */
export function mayAssertIncome({ kind, scopes }: Principal): boolean {
  return kind === 'api_key' && scopes.includes('assert:income');
}

export function hasOwnersScope({ kind, scopes }: Principal): boolean {
  return kind === 'api_key' && scopes.includes('admin:owners');
}

/**
 * The owner that the request names or, if it names none, the calling user.
 * @throws DomainError `invalid-request` if the request names no owner and was sent with an API key.
 */
export function ownerFor(
  principal: Principal,
  named: string | undefined,
  { pointer, fault }: { pointer: string; fault: string },
): string {
  const owner = named ?? (principal.kind === 'user' ? principal.userId : undefined);
  if (owner === undefined) throw invalidInput(pointer, fault);
  return owner;
}

/** The longest email address in RFC 5321: the path limit of section 4.5.3.1.3, minus the angle brackets. */
const MAX_EMAIL = 254;
const MAX_LOCAL_PART = 64;

/** The part of an email address before the `@`: RFC 5322's dot-atom, with RFC 6531's letters, marks and digits. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u;

/** Normalises an email address for storage and display: NFKC, trimmed. Upper and lower case are kept. */
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
    DOMAIN.test(email.slice(at + 1))
  );
}

/** Converts all spellings that count as the same email address to one spelling, for the keyed hash. */
export function emailIdentity(given: string): string {
  return normaliseEmail(given).toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Whether two email addresses certainly belong to the same mailbox: they may differ only in the case of ASCII letters.
 */
export function isSameMailbox(one: string, other: string): boolean {
  const folded = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return folded(one) === folded(other);
}

/** The domain of an email address, with ASCII letters in lower case. */
export function mailDomainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Checks a buffer rate: `"0"` to `"1"`, with at most four decimals. */
export function checkBufferRate(rate: string): string {
  if (/^(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/.test(rate)) return rate;
  throw invalidInput('/buffer_rate', 'must be a decimal string from "0" to "1" with at most four decimal places');
}

export const ACCESS_TOKEN_SECONDS = 3_600;
const REFRESH_TOKEN_DAYS = 30;
const FAMILY_DAYS = 90;
/**
 * A refresh token that is sent again within this many seconds of its first use gets the same new tokens. The first
 * response may have been lost.
 */
export const LOST_REPLY_SECONDS = 30;

const DAY_MS = 86_400_000;

/**
 * Returns when a refresh token that is issued now expires: in 30 days, or when its family expires, if that is sooner.
 */
export function refreshExpiry(now: Date, familyExpiresAt: Date): Date {
  return new Date(Math.min(now.getTime() + REFRESH_TOKEN_DAYS * DAY_MS, familyExpiresAt.getTime()));
}

export function familyExpiry(now: Date): Date {
  return new Date(now.getTime() + FAMILY_DAYS * DAY_MS);
}

export interface PresentedRefresh {
  clientId: string | null;
  expiresAt: Date;
  familyExpiresAt: Date;
  familyEnded: boolean;
  rotatedAt: Date | null;
}

/**
 * Decides what to do with a refresh token.
 * - `rotate`: the token is valid and unused.
 * - `replay`: the token was used moments ago, so send the same response again.
 * - `end`: revoke the family, because the token was reused later or came from another client.
 * - `refuse`: reject the token without further effect.
 */
export function judgeRefresh(
  token: PresentedRefresh,
  clientId: string | undefined,
  now: Date,
): 'rotate' | 'replay' | 'end' | 'refuse' {
  if (token.familyEnded) return 'refuse';
  if (clientId === undefined ? token.clientId !== null : clientId !== token.clientId) {
    return clientId === undefined ? 'refuse' : 'end';
  }
  if (token.rotatedAt) {
    return now.getTime() - token.rotatedAt.getTime() <= LOST_REPLY_SECONDS * 1_000 ? 'replay' : 'end';
  }
  return now < token.expiresAt && now < token.familyExpiresAt ? 'rotate' : 'refuse';
}

/**
 * Parses scopes separated by spaces.
 * @throws DomainError `invalid-request` if no scope is given, or if a scope is unknown.
 */
export function parseScopes(written: string): Scope[] {
  const names = [...new Set(written.split(/\s+/).filter((name) => name !== ''))];
  const unknown = names.filter((name) => !(SCOPES as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw invalidInput('/scopes', `There is no scope ${unknown.join(', ')}. The scopes are: ${SCOPES.join(' ')}.`);
  if (names.length === 0)
    throw invalidInput('/scopes', `Name at least one scope. The scopes are: ${SCOPES.join(' ')}.`);
  return names as Scope[];
}

/**
 * Parses scopes, all of which must be granted. A grant of `write:x` includes `read:x`.
 * @throws DomainError `invalid-scope`.
 */
export function narrowedScopes(written: string, granted: readonly Scope[]): Scope[] {
  const names = [...new Set(written.split(' ').filter((name) => name !== ''))];
  const isGranted = (name: string): name is Scope =>
    (SCOPES as readonly string[]).includes(name) && covers(granted, name as Scope);
  if (names.length > 0 && names.every(isGranted)) return names;
  throw new DomainError('invalid-scope', `Request only scopes that were granted: ${granted.join(' ')}.`);
}
