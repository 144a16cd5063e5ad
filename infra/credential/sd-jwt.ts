import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Credential } from '../../openapi/types.ts';
import type { PublicJwk, SigningKey } from './keys.ts';

/** A presentation always shows these claims. Times are in seconds since 1970. */
export interface OpenClaims {
  iss: string;
  sub: string;
  vct: string;
  jti: string;
  iat: number;
  nbf: number;
  exp: number;
  status: { status_list: { idx: number; uri: string } };
  reliability_score: number;
}

export interface SignedCredential {
  kid: string;
  claims: OpenClaims & Partial<DisclosableClaims>;
}

/** A holder can disclose these claims one by one. */
export const DISCLOSABLE = [
  'on_time_rate',
  'total_payments',
  'missed_payments',
  'period',
  'categories',
  'score_breakdown',
  'bills',
  'payees',
  'months_covered',
  'total_paid',
  'payments_left_out',
] as const satisfies readonly (keyof Credential)[];
export type DisclosableClaims = Pick<Credential, (typeof DISCLOSABLE)[number]>;

const TYP = 'dc+sd-jwt';
const ALG = 'ES256';
/** Matches an issuer-signed JWT with an ES256 signature and disclosures, without a key binding JWT. */
const COMPACT = /^[\w-]+\.[\w-]+\.([\w-]{86})~(?:[\w-]+~){0,11}$/;

/** Matches any SD-JWT (RFC 9901, section 4), with or without a key binding JWT. */
const SD_JWT = /^[\w-]+\.[\w-]+\.[\w-]*~(?:[\w-]+~)*(?:[\w-]+\.[\w-]+\.[\w-]+)?$/;

/** Loads the library late, because it contains large schemas. */
const library = () => import('@sd-jwt/sd-jwt-vc');

/** @returns the compact form of the credential (SD-JWT VC, ES256), with all disclosures. */
export async function issueSdJwt(
  { kid, privateJwk }: SigningKey,
  claims: OpenClaims & DisclosableClaims,
): Promise<string> {
  const signer = await ES256.getSigner(privateJwk);
  const { SDJwtVcInstance } = await library();
  const issuer = new SDJwtVcInstance({ signer, signAlg: ALG, hasher: digest, hashAlg: 'sha-256', saltGenerator });
  return issuer.issue({ ...claims }, { _sd: [...DISCLOSABLE] }, { header: { kid } });
}

/** Makes salts of 128 bits, as RFC 9901 (section 9.3) recommends. The library's default is 64 bits. */
const saltGenerator = (): string => generateSalt(32);

/** Whether the text is an SD-JWT, even one of which the header or the claims were altered. */
export function isSdJwt(text: string): boolean {
  const jwt = text.slice(0, text.indexOf('~'));
  return SD_JWT.test(text) && [decodeProtectedHeader, decodeJwt].some((decode) => canDecode(decode, jwt));
}

function canDecode(decode: (jwt: string) => unknown, jwt: string): boolean {
  try {
    decode(jwt);
    return true;
  } catch {
    return false;
  }
}

/** Checks the signature and the disclosures, but neither expiry nor revocation. Returns undefined if a check fails. */
export async function readSdJwt(
  text: string,
  publicKeyOf: (kid: string) => Promise<PublicJwk | undefined>,
): Promise<SignedCredential | undefined> {
  const signature = COMPACT.exec(text)?.[1];
  // Base64 decoders ignore unused bits at the end, so several texts would have the same signature.
  if (signature === undefined || Buffer.from(signature, 'base64url').toString('base64url') !== signature)
    return undefined;
  const kid = kidOf(text);
  const publicJwk = kid === undefined ? undefined : await publicKeyOf(kid);
  if (kid === undefined || publicJwk === undefined) return undefined;
  const claims = await claimsOf(text, publicJwk);
  return claims && { kid, claims };
}

/** Returns undefined for other kinds of token that the service's keys sign. */
function kidOf(text: string): string | undefined {
  try {
    const { typ, alg, kid } = decodeProtectedHeader(text.slice(0, text.indexOf('~')));
    return typ === TYP && alg === ALG ? kid : undefined;
  } catch {
    return undefined;
  }
}

async function claimsOf(text: string, publicJwk: PublicJwk): Promise<SignedCredential['claims'] | undefined> {
  const { SDJwtVcInstance } = await library();
  const reader = new SDJwtVcInstance({ hasher: digest, verifier: await ES256.getVerifier(publicJwk) });
  try {
    // The caller checks expiry.
    const { iat } = (await reader.getClaims(text)) as { iat: number };
    const { payload } = await reader.validate(text, { currentDate: iat });
    // The library accepts unused and repeated disclosures, which make a credential invalid (RFC 9901, section 7.1).
    const shown = await reader.presentableKeys(text);
    return shown.length === text.split('~').length - 2 ? (payload as SignedCredential['claims']) : undefined;
  } catch {
    return undefined;
  }
}
