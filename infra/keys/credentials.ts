import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Config } from '../config.ts';

type Environment = Config['environment'];

/** Where each prefix may be used. */
const KEY_PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'sk_test_', production: 'sk_live_' };
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 256 bits take 43 digits of base 62. */
const SECRET_LENGTH = 43;
/** 32 bits take 6. */
const CHECKSUM_LENGTH = 6;

/** What a bearer credential looks like, before anything is looked up. */
export type CredentialShape =
  { kind: 'access_token' } | { kind: 'api_key'; environment: Environment; intact: boolean } | { kind: 'unknown' };

/** `rf_at_…`, an access token: 256 random bits. */
export function newAccessToken(): string {
  return `rf_at_${randomBytes(32).toString('base64url')}`;
}

/** `rf_rt_…`, a refresh token: 256 random bits. */
export function newRefreshToken(): string {
  return `rf_rt_${randomBytes(32).toString('base64url')}`;
}

/** An API key: prefix, 256 random bits in base 62, checksum. The checksum lets scanners tell a leaked key from chance. */
export function newApiKey(environment: Environment): string {
  const body = KEY_PREFIXES[environment] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return body + checksum(body);
}

/** The secret of an OAuth client: `rf_cs_…`, 256 random bits. */
export function newClientSecret(): string {
  return `rf_cs_${randomBytes(32).toString('base64url')}`;
}

/** An authorization code: `rf_ac_…`, 256 random bits. */
export function newAuthorizationCode(): string {
  return `rf_ac_${randomBytes(32).toString('base64url')}`;
}

/** What a browser's session is known by: `rf_se_…`, 256 random bits. */
export function newSessionId(): string {
  return `rf_se_${randomBytes(32).toString('base64url')}`;
}

/** What a browser is known by before anybody signs in: `rf_br_…`, 256 random bits. */
export function newBrowserId(): string {
  return `rf_br_${randomBytes(32).toString('base64url')}`;
}

/** The token of a link by which a password is set anew: `rf_pr_…`, 256 random bits. */
export function newResetToken(): string {
  return `rf_pr_${randomBytes(32).toString('base64url')}`;
}

/** The token of a link that proves an address: `rf_ev_…`, 256 random bits. */
export function newVerificationToken(): string {
  return `rf_ev_${randomBytes(32).toString('base64url')}`;
}

/** What a browser holds while its person proves an account: `rf_lr_…`, 256 random bits. */
export function newLinkRequest(): string {
  return `rf_lr_${randomBytes(32).toString('base64url')}`;
}

/** The token of a link that proves an account for a sign-in with a provider: `rf_pl_…`, 256 random bits. */
export function newLinkToken(): string {
  return `rf_pl_${randomBytes(32).toString('base64url')}`;
}

/** Tells by its looks what a credential is, and whether a key was typed or copied wrong. */
export function shapeOf(credential: string): CredentialShape {
  if (/^rf_at_[\w-]{43}$/.test(credential)) return { kind: 'access_token' };
  for (const environment of ['sandbox', 'production'] as const) {
    if (credential.startsWith(KEY_PREFIXES[environment])) {
      return { kind: 'api_key', environment, intact: isIntact(credential) };
    }
  }
  return { kind: 'unknown' };
}

/** The SHA-256 of a credential of 256 random bits, in base64url: all that is stored of it. */
export function hashOf(credential: string): string {
  return hash('sha256', credential, 'base64url');
}

function isIntact(key: string): boolean {
  if (!/^sk_(?:test|live)_[0-9A-Za-z]{49}$/.test(key)) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return timingSafeEqual(Buffer.from(key.slice(-CHECKSUM_LENGTH)), Buffer.from(checksum(body)));
}

/** CRC-32 of all that stands before it, in base 62. */
function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) digits = DIGITS.charAt(Number(rest % 62n)) + digits;
  return digits;
}
