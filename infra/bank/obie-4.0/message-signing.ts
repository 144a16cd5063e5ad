import type { KeyObject } from 'node:crypto';
import {
  CompactSign,
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  SignJWT,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { BankError } from '../interface.ts';

/** The algorithm PS256 needs an RSA key. */
export interface Signer {
  keyId: string;
  issuer: string;
  /** The trust anchor, such as the domain of the directory in which the bank finds the issuer. */
  tan: string;
  key: KeyObject;
}

/** Whose signatures count. */
export interface Trusted {
  keys: JWTVerifyGetKey;
  tan: string;
}

export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

const ALGORITHM = 'PS256';
const ISSUED_AT = 'http://openbanking.org.uk/iat';
const ISSUER = 'http://openbanking.org.uk/iss';
const TRUST_ANCHOR = 'http://openbanking.org.uk/tan';
const CRITICAL = [ISSUED_AT, ISSUER, TRUST_ANCHOR];
const UNDERSTOOD = { [ISSUED_AT]: true, [ISSUER]: true, [TRUST_ANCHOR]: true };
const CLOCK_TOLERANCE_S = 120;
const READ_AGAIN_AFTER_MS = 60_000;
const KEYS_LIVE_MS = 3_600_000;

/** Returns `x-jws-signature`, a detached JWS (Open Banking Read/Write API v4.0; RFC 7515, appendix F). */
export async function signMessage(body: string, signer: Signer): Promise<string> {
  const jws = await new CompactSign(Buffer.from(body, 'utf8'))
    .setProtectedHeader(joseHeader(signer, { typ: 'JOSE', cty: 'application/json' }))
    .sign(signer.key, { crit: UNDERSTOOD });
  const [header, , signature] = jws.split('.');
  return `${header}..${signature}`;
}

/** @throws SignatureError unless `signature` is a valid `x-jws-signature` of `body`. */
export async function verifyMessage(
  body: Uint8Array,
  signature: string | undefined,
  { keys, tan }: Trusted,
): Promise<void> {
  if (signature === undefined) throw new SignatureError('the message has no signature');
  const [header, payload, value, ...more] = signature.split('.');
  if (payload !== '' || value === undefined || more.length > 0)
    throw new SignatureError('the signature is not a detached JWS');
  const jws = `${header}.${Buffer.from(body).toString('base64url')}.${value}`;
  const verified = await verifying(compactVerify(jws, keys, { algorithms: [ALGORITHM], crit: UNDERSTOOD }));
  const claims: Record<string, unknown> = { ...verified.protectedHeader };
  const critical: unknown = claims['crit'];
  if (!CRITICAL.every((name) => Array.isArray(critical) && critical.includes(name))) {
    throw new SignatureError('the signature does not cover the issuer and the time of signing');
  }
  if (claims[TRUST_ANCHOR] !== tan) throw new SignatureError('the signature names a different trust anchor');
  if (typeof claims[ISSUER] !== 'string' || claims[ISSUER] === '')
    throw new SignatureError('the signature names no issuer');
  const issuedAt = claims[ISSUED_AT];
  if (typeof issuedAt !== 'number' || issuedAt > Date.now() / 1000 + CLOCK_TOLERANCE_S) {
    throw new SignatureError('the time of the signature is not in the past');
  }
}

/** Signs an event as a security event token (RFC 8417). */
export async function signEvent(claims: JWTPayload, signer: Signer): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader(joseHeader(signer, { typ: 'secevent+jwt' }))
    .sign(signer.key, { crit: UNDERSTOOD });
}

/** @throws SignatureError unless the bank signed the token (RFC 8417) for `audience`. */
export async function verifyEvent(
  token: string,
  audience: string,
  { keys }: Pick<Trusted, 'keys'>,
): Promise<JWTPayload> {
  const options = { algorithms: [ALGORITHM], audience, crit: UNDERSTOOD, clockTolerance: CLOCK_TOLERANCE_S };
  const verified = await verifying(jwtVerify(token, keys, options));
  return verified.payload;
}

function joseHeader(signer: Signer, type: { typ: string; cty?: string }) {
  return {
    alg: ALGORITHM,
    kid: signer.keyId,
    ...type,
    [ISSUED_AT]: Math.floor(Date.now() / 1000),
    [ISSUER]: signer.issuer,
    [TRUST_ANCHOR]: signer.tan,
    crit: CRITICAL,
  };
}

/** Reads the bank's keys again for an unknown `kid`, at most once a minute, so that the bank can change its key. */
export function keysAt(
  url: string,
  fetch: (url: string, options: { method: string; headers: Headers }) => Promise<Response>,
) {
  return createRemoteJWKSet(new URL(url), {
    [customFetch]: fetch,
    cooldownDuration: READ_AGAIN_AFTER_MS,
    cacheMaxAge: KEYS_LIVE_MS,
  });
}

/** @throws SignatureError, or BankError if the bank's keys cannot be read now. */
async function verifying<T>(verified: Promise<T>): Promise<T> {
  try {
    return await verified;
  } catch (error) {
    if (error instanceof BankError) throw error;
    if (error instanceof errors.JOSEError) throw new SignatureError(error.message);
    throw new SignatureError('the signature cannot be read');
  }
}
