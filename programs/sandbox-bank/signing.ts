import type { KeyObject } from 'node:crypto';
import type { createLocalJWKSet } from 'jose';
import { CompactSign, compactVerify, SignJWT, type CompactJWSHeaderParameters, type JWTPayload } from 'jose';

/** The bank signs messages, events and ID tokens with this key, which `/jwks` publishes. */
export interface Signer {
  keyId: string;
  issuer: string;
  key: KeyObject;
}

const ALGORITHM = 'PS256';
const ISSUED_AT = 'http://openbanking.org.uk/iat';
const ISSUER = 'http://openbanking.org.uk/iss';
const TRUST_ANCHOR = 'http://openbanking.org.uk/tan';
const CRITICAL = [ISSUED_AT, ISSUER, TRUST_ANCHOR];
const UNDERSTOOD = { [ISSUED_AT]: true, [ISSUER]: true, [TRUST_ANCHOR]: true };
const TRUSTED = 'openbanking.org.uk';
const CLOCK_TOLERANCE_S = 60;

/** Returns `x-jws-signature`, a detached JWS (Open Banking Read/Write API v4.0; RFC 7515, appendix F). */
export async function signMessage(body: string, signer: Signer): Promise<string> {
  const jws = await new CompactSign(Buffer.from(body))
    .setProtectedHeader(headerOf(signer, { typ: 'JOSE', cty: 'application/json' }))
    .sign(signer.key, { crit: UNDERSTOOD });
  const [header, , signature] = jws.split('.');
  return `${header}..${signature}`;
}

/** Signs a security event token (RFC 8417). */
export async function signEvent(claims: JWTPayload, signer: Signer): Promise<string> {
  const header = headerOf(signer, { typ: 'secevent+jwt' });
  return new SignJWT(claims).setProtectedHeader(header).sign(signer.key, { crit: UNDERSTOOD });
}

export type ClientKeys = ReturnType<typeof createLocalJWKSet>;

/** Returns what is wrong with the detached JWS, or null. */
export async function faultOfSignature(
  body: Buffer,
  signature: string,
  clientKeys: ClientKeys,
): Promise<string | null> {
  const [header, payload, value, ...more] = signature.split('.');
  if (payload !== '' || value === undefined || more.length > 0) return 'the signature is not a detached JWS';
  const jws = `${header}.${body.toString('base64url')}.${value}`;
  try {
    const options = { algorithms: [ALGORITHM], crit: UNDERSTOOD };
    const { protectedHeader } = await compactVerify(jws, clientKeys, options);
    return faultOfHeader(protectedHeader);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function faultOfHeader({ crit, ...claims }: CompactJWSHeaderParameters): string | null {
  const issuedAt = claims[ISSUED_AT];
  if (!CRITICAL.every((name) => crit?.includes(name))) return 'the signature does not cover its issuer and time';
  if (claims[TRUST_ANCHOR] !== TRUSTED) return 'the signature names a different trust anchor';
  if (typeof claims[ISSUER] !== 'string' || claims[ISSUER] === '') return 'the signature names no issuer';
  if (typeof issuedAt !== 'number' || issuedAt > Date.now() / 1000 + CLOCK_TOLERANCE_S)
    return 'the time of the signature is not in the past';
  return null;
}

function headerOf({ keyId, issuer }: Signer, type: { typ: string; cty?: string }) {
  return {
    alg: ALGORITHM,
    kid: keyId,
    ...type,
    [ISSUED_AT]: Math.floor(Date.now() / 1000),
    [ISSUER]: issuer,
    [TRUST_ANCHOR]: TRUSTED,
    crit: CRITICAL,
  };
}
