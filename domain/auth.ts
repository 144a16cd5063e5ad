import { DomainError, invalidInput } from './errors.ts';

/** Every scope; `write:x` implies `read:x`. */
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

/** The authenticated caller. */
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
      /** Requests per minute, if it differs from the deployment's limit. */
      perMinute?: number | undefined;
    };

/**
 * The income that a key may assert in a calendar month in London, in pence: for one owner, and for all of its owners.
 */
export interface IncomeLimits {
  perOwner: number;
  perMonth: number;
}

/** Scopes that only an operator grants, to an API key: a person neither has them nor can consent to them. */
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

/** The scopes of a sign-in with a password: all but those for API keys alone. */
export const LOGIN_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !KEY_SCOPES.includes(scope));

/** Whether the granted scopes cover the needed one. */
export function covers(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes(needed) || granted.includes(needed.replace(/^read:/, 'write:') as Scope);
}

/** A stable name of the caller for idempotency and audit: the user, or the key across its rotations. */
export function callerOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.lineage;
}

/** Whether an income that the caller states counts as evidence. */
export function mayAssertIncome({ kind, scopes }: Principal): boolean {
  return kind === 'api_key' && scopes.includes('assert:income');
}

/** Whether a key acts for every owner. */
export function hasOwnersScope({ kind, scopes }: Principal): boolean {
  return kind === 'api_key' && scopes.includes('admin:owners');
}

/**
 * The owner that the request names, else the calling user.
 * @throws DomainError `invalid-request` at `pointer` with the given detail if an API key names nobody.
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

/** The longest address in RFC 5321 (section 4.5.3.1.3, less the angle brackets). */
const MAX_EMAIL = 254;
const MAX_LOCAL_PART = 64;

/** RFC 5322's dot-atom with the letters, marks and digits of RFC 6531. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u;

/** An email address as stored and shown: NFKC-normalised and trimmed, with its letters' case unchanged. */
export function normaliseEmail(given: string): string {
  return given.normalize('NFKC').trim();
}

/** Whether mail can be sent to a normalised address. */
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

/** One form for all spellings of an address that count as the same. Its blind index uses this form. */
export function emailIdentity(given: string): string {
  return normaliseEmail(given).toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Whether two addresses are certainly one mailbox: only the case of ASCII letters may differ. The form of
 * `emailIdentity` is broader: it also equates look-alikes, so that nobody can register one beside another.
 */
export function isSameMailbox(one: string, other: string): boolean {
  const folded = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return folded(one) === folded(other);
}

/** The domain of an address. Only the case of ASCII letters is ignored. */
export function mailDomainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A buffer rate is `"0"` to `"1"`, with at most four decimals. */
export function checkBufferRate(rate: string): string {
  if (/^(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/.test(rate)) return rate;
  throw invalidInput('/buffer_rate', 'must be a decimal string from "0" to "1" with at most four decimal places');
}

/** Lifetimes of tokens. */
export const ACCESS_TOKEN_SECONDS = 3_600;
export const REFRESH_TOKEN_DAYS = 30;
export const FAMILY_DAYS = 90;
/** For this long after a rotation, the old token gets the same successor again. */
export const LOST_REPLY_SECONDS = 30;

const DAY_MS = 86_400_000;

/** When a refresh token issued now expires: in 30 days, but not after its family. */
export function refreshExpiry(now: Date, familyExpiresAt: Date): Date {
  return new Date(Math.min(now.getTime() + REFRESH_TOKEN_DAYS * DAY_MS, familyExpiresAt.getTime()));
}

/** When a family that begins now expires. */
export function familyExpiry(now: Date): Date {
  return new Date(now.getTime() + FAMILY_DAYS * DAY_MS);
}

/** A stored refresh token at the time it is presented. */
export interface PresentedRefresh {
  clientId: string | null;
  expiresAt: Date;
  familyExpiresAt: Date;
  familyEnded: boolean;
  rotatedAt: Date | null;
}

/**
 * What to do with a refresh token.
 * - `rotate` it: it is valid.
 * - `replay` the reply that was lost.
 * - `end` the family: the token was reused, or came from another client.
 * - `refuse` it, with no other effect.
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
 * Parses scopes: separated by spaces, each once.
 * @throws DomainError `invalid-request` naming the ones that do not exist.
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
 * Requested scopes, separated by spaces, which must be within the granted ones; `write:x` includes `read:x`.
 * @throws DomainError `invalid-scope`.
 */
export function narrowedScopes(written: string, granted: readonly Scope[]): Scope[] {
  const names = [...new Set(written.split(' ').filter((name) => name !== ''))];
  const isGranted = (name: string): name is Scope =>
    (SCOPES as readonly string[]).includes(name) && covers(granted, name as Scope);
  if (names.length > 0 && names.every(isGranted)) return names;
  throw new DomainError('invalid-scope', `Request only scopes that were granted: ${granted.join(' ')}.`);
}
