import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Counts, ScorePart } from '../../domain/credential.ts';
import type { ProviderCategory } from '../../domain/payments.ts';
import type { PublicJwk, SigningKey } from './keys.ts';

/** What a holder chooses to show or not, claim by claim. Credentials issued before the counts have none of those. */
export interface DisclosableClaims extends Partial<Counts> {
  total_payments: number;
  missed_payments: number;
  on_time_rate: string;
  period: string;
  categories: ProviderCategory[];
  score_breakdown: ScorePart[];
}

/** What every presentation shows; times are in seconds since 1970. */
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

/** A credential that was signed by one of the keys; of the disclosable claims, those that were shown. */
export interface SignedCredential {
  kid: string;
  claims: OpenClaims & Partial<DisclosableClaims>;
}

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
] as const satisfies readonly (keyof DisclosableClaims)[];

const TYP = 'dc+sd-jwt';
const ALG = 'ES256';
/** Issuer-signed JWT with an ES256 signature, disclosures, and no key binding JWT. */
const COMPACT = /^[\w-]+\.[\w-]+\.([\w-]{86})~(?:[\w-]+~){0,11}$/;

/** Loaded with the first credential: it brings schemas of all that its standard names. */
const library = () => import('@sd-jwt/sd-jwt-vc');

/** Signs a credential (SD-JWT VC, ES256). @returns it in the compact form with all disclosures. */
export async function issueSdJwt(
  { kid, privateJwk }: SigningKey,
  claims: OpenClaims & DisclosableClaims,
): Promise<string> {
  const signer = await ES256.getSigner(privateJwk);
  const { SDJwtVcInstance } = await library();
  const issuer = new SDJwtVcInstance({ signer, signAlg: ALG, hasher: digest, hashAlg: 'sha-256', saltGenerator });
  const disclosable = DISCLOSABLE.filter((name) => claims[name] !== undefined);
  return issuer.issue({ ...claims }, { _sd: disclosable }, { header: { kid } });
}

/** 128 bits, as RFC 9901 (section 9.3) recommends; the library asks for 16 characters, which are 64. */
const saltGenerator = (): string => generateSalt(32);

/**
 * Reads a credential and checks its signature and disclosures, but not whether its time is over or it was revoked.
 * @param publicKeyOf gives the key of that name, where it is one of ours.
 * @returns undefined for everything that was not signed by such a key exactly as it is, to the last bit.
 */
export async function readSdJwt(
  text: string,
  publicKeyOf: (kid: string) => Promise<PublicJwk | undefined>,
): Promise<SignedCredential | undefined> {
  const signature = COMPACT.exec(text)?.[1];
  // Decoders let bits pass that belong to no byte: of such texts, only one is what was signed.
  if (signature === undefined || Buffer.from(signature, 'base64url').toString('base64url') !== signature)
    return undefined;
  const kid = kidOf(text);
  const publicJwk = kid === undefined ? undefined : await publicKeyOf(kid);
  if (kid === undefined || publicJwk === undefined) return undefined;
  const claims = await claimsOf(text, publicJwk);
  return claims && { kid, claims };
}

/** Whether a credential was signed with the counts, shown or not; those issued before they were counted were not. */
export function hasCounts(text: string): boolean {
  try {
    const { _sd: digests } = decodeJwt<{ _sd?: unknown[] }>(text.slice(0, text.indexOf('~')));
    return digests?.length === DISCLOSABLE.length;
  } catch {
    return false;
  }
}

/** The key that a credential of this service names; undefined for all other tokens, even those that the key signed. */
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
    // How it stands by now is for the caller to say, so it is read as at the moment that it was signed at.
    const { iat } = (await reader.getClaims(text)) as { iat: number };
    const { payload } = await reader.validate(text, { currentDate: iat });
    // A disclosure that belongs to no digest, or comes twice, makes the whole invalid (RFC 9901, section 7.1); the library lets it pass.
    const shown = await reader.presentableKeys(text);
    return shown.length === text.split('~').length - 2 ? (payload as SignedCredential['claims']) : undefined;
  } catch {
    // The library throws for whatever is wrong with the text, a signature that does not fit included.
    return undefined;
  }
}
