import { ES256 } from '@sd-jwt/crypto-nodejs';
import { calculateJwkThumbprint } from 'jose';

/** A public key on P-256 as JWK (RFC 7517), without a name. */
export interface PublicJwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** A key pair that signs credentials and what belongs to them; `kid` is its thumbprint (RFC 7638). */
export interface SigningKey {
  kid: string;
  privateJwk: PublicJwk & { d: string };
}

/** Makes a key pair for ES256. */
export async function newSigningKey(): Promise<SigningKey> {
  const { privateKey } = await ES256.generateKeyPair();
  const { x, y, d } = privateKey as { x: string; y: string; d: string };
  const publicJwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { kid: await calculateJwkThumbprint(publicJwk), privateJwk: { ...publicJwk, d } };
}

/** What everybody may know of a key. */
export function publicPart({ privateJwk: { kty, crv, x, y } }: SigningKey): PublicJwk {
  return { kty, crv, x, y };
}
