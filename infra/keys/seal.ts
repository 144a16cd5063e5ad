import { hkdfSync, type webcrypto } from 'node:crypto';
import { decodeProtectedHeader, FlattenedEncrypt, flattenedDecrypt, type FlattenedJWE } from 'jose';
import type { MasterKeys } from './master-keys.ts';

/** What a sealed record belongs to; it opens only where the very same is given again. */
export type SealContext = Readonly<Record<string, string>>;

/** A sealed record that does not open here. The message never tells what was in it. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** What is stored of a JWE: all but its additional data, which the reader brings along as the context. */
type StoredJwe = Omit<FlattenedJWE, 'aad' | 'header' | 'unprotected'>;

const CONTENT_ENCRYPTION = 'A256CBC-HS512';
const KEY_WRAP = 'A256KW';
const DIRECT = 'dir';

/** Seals under a fresh content key, wrapped by the current master key, whose version is the `kid`. */
export async function sealWith({ current }: MasterKeys, plaintext: string, context: SealContext) {
  const jwe = await new FlattenedEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: KEY_WRAP, enc: CONTENT_ENCRYPTION, kid: String(current.version) })
    .setAdditionalAuthenticatedData(additionalData(context))
    .encrypt(current.key);
  return { sealed: stored(jwe), keyVersion: current.version };
}

export async function openWith({ keyOf }: MasterKeys, sealed: string, context: SealContext): Promise<string> {
  return opened(sealed, context, KEY_WRAP, (kid) => keyOf(Number(kid)));
}

/** Seals under a key derived by HKDF (RFC 5869) from a secret that has 256 bits of its own. */
export async function sealUnder(secret: string, plaintext: string, context: SealContext): Promise<string> {
  const jwe = await new FlattenedEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: DIRECT, enc: CONTENT_ENCRYPTION })
    .setAdditionalAuthenticatedData(additionalData(context))
    .encrypt(keyUnder(secret));
  return stored(jwe);
}

export async function openUnder(secret: string, sealed: string, context: SealContext): Promise<string> {
  return opened(sealed, context, DIRECT, () => keyUnder(secret));
}

type ContentKey = webcrypto.CryptoKey | Uint8Array;

async function opened(
  sealed: string,
  context: SealContext,
  algorithm: string,
  keyOf: (kid: string | undefined) => ContentKey | undefined,
): Promise<string> {
  try {
    const jwe = JSON.parse(sealed) as StoredJwe;
    const key = keyOf(decodeProtectedHeader(jwe).kid);
    if (key === undefined) throw new SealBrokenError('A sealed record names a master key that is not there.');
    const { plaintext } = await flattenedDecrypt({ ...jwe, aad: base64url(additionalData(context)) }, key, {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: [CONTENT_ENCRYPTION],
    });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch (error) {
    if (error instanceof SealBrokenError) throw error;
    throw new SealBrokenError('A sealed record was changed, or belongs elsewhere.', { cause: error });
  }
}

function stored({ protected: header, encrypted_key, iv, ciphertext, tag }: FlattenedJWE): string {
  return JSON.stringify({ protected: header, encrypted_key, iv, ciphertext, tag } satisfies StoredJwe);
}

/** One form per context, whatever the order of its members. */
function additionalData(context: SealContext): Uint8Array {
  const members = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify(members));
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function keyUnder(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'ringfence sealed under a secret', 64));
}
