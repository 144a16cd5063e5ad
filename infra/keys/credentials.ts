import { randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Config } from '../config/index.ts';
import type { Keys } from './index.ts';

type Environment = Config['environment'];

const KEY_PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'sk_test_', production: 'sk_live_' };
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Base-62 digits for 256 random bits. */
const SECRET_LENGTH = 43;
/** Base-62 digits for a 32-bit checksum. */
const CHECKSUM_LENGTH = 6;

type CredentialShape =
  { kind: 'access_token' } | { kind: 'api_key'; environment: Environment; intact: boolean } | { kind: 'unknown' };

export interface Hashing {
  keys: Pick<Keys, 'blindIndex'>;
}

function secretsOf(prefix: string): () => string {
  return () => `${prefix}${randomBytes(32).toString('base64url')}`;
}

export const newAccessToken = secretsOf('rf_at_');
export const newRefreshToken = secretsOf('rf_rt_');
export const newClientSecret = secretsOf('rf_cs_');
export const newAuthorizationCode = secretsOf('rf_ac_');
export const newSessionId = secretsOf('rf_se_');
/** Identifies a browser, even before anybody signs in. */
export const newBrowserId = secretsOf('rf_br_');
export const newResetToken = secretsOf('rf_pr_');
export const newVerificationToken = secretsOf('rf_ev_');
export const newInvitation = secretsOf('rf_in_');
/** Identifies a request to link a sign-in provider. The confirmation form contains this id. */
export const newLinkRequest = secretsOf('rf_lr_');
/** The token in the email that confirms a link request. */
export const newLinkToken = secretsOf('rf_pl_');

/** A bank's answer repeats it. */
export const newBankState = secretsOf('rf_bs_');
/** Opens what one browser brought back from a bank. */
export const newAnswerHandle = secretsOf('rf_ba_');
/** Lets an operator grant the consent of the house account. */
export const newHouseLink = secretsOf('rf_hl_');

/** Prefix, 256 random bits in base 62, and checksum. Secret scanners can verify the checksum. */
export function newApiKey(environment: Environment): string {
  const body = KEY_PREFIXES[environment] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return body + checksum(body);
}

/** `intact` is false if the form or the checksum is wrong. */
export function shapeOf(credential: string): CredentialShape {
  if (/^rf_at_[\w-]{43}$/.test(credential)) return { kind: 'access_token' };
  for (const environment of ['sandbox', 'production'] as const) {
    if (credential.startsWith(KEY_PREFIXES[environment])) {
      return { kind: 'api_key', environment, intact: isIntact(credential) };
    }
  }
  return { kind: 'unknown' };
}

/** What is stored in place of the credential. Only the service can make it, even for a credential that somebody knows. */
export function hashOf({ keys }: Hashing, credential: string): string {
  return keys.blindIndex('credential', credential);
}

/** In place of the hash of a credential that nobody has. */
export function hashOfNothing(): string {
  return randomBytes(32).toString('base64url');
}

function isIntact(key: string): boolean {
  if (!/^sk_(?:test|live)_[0-9A-Za-z]{49}$/.test(key)) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return timingSafeEqual(Buffer.from(key.slice(-CHECKSUM_LENGTH)), Buffer.from(checksum(body)));
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) digits = DIGITS.charAt(Number(rest % 62n)) + digits;
  return digits;
}
