import { ES256 } from '@sd-jwt/crypto-nodejs';
import { calculateJwkThumbprint } from 'jose';
import type { PublicKey } from '../../openapi/types.ts';

export type PublicJwk = Pick<PublicKey, 'kty' | 'crv' | 'x' | 'y'>;

/** `kid` is the thumbprint of the public key (RFC 7638). */
export interface SigningKey {
  kid: string;
  privateJwk: PublicJwk & { d: string };
}

export async function newSigningKey(): Promise<SigningKey> {
  const { privateKey } = await ES256.generateKeyPair();
  const { x, y, d } = privateKey as { x: string; y: string; d: string };
  const publicJwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { kid: await calculateJwkThumbprint(publicJwk), privateJwk: { ...publicJwk, d } };
}

export function publicPart({ privateJwk: { kty, crv, x, y } }: SigningKey): PublicJwk {
  return { kty, crv, x, y };
}
