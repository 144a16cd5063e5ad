import { hkdfSync, randomBytes } from 'node:crypto';
import { base64url, flattenedDecrypt, FlattenedEncrypt } from 'jose';
import { decryptFile, encryptFile, KEY_BYTES } from './file-encryption.ts';
import { readContent, readSealed, sealedText, type StoredContent } from './sealed-text.ts';
import { SealBrokenError, type KeyService } from './service.ts';
import { DERIVED_KEYS } from '../../domain/frozen-strings.ts';

export { SealBrokenError };

/** What a sealed record belongs to. Decryption fails with any other context. */
export type SealContext = Readonly<Record<string, string>>;

const CONTENT_ENCRYPTION = 'A256CBC-HS512';
const DIRECT = 'dir';

/** A JWE (RFC 7516) under a new content key. The header `kid` is the version of the master key. */
export async function sealWith(service: Pick<KeyService, 'wrap'>, plaintext: string, context: SealContext) {
  const contentKey = new Uint8Array(randomBytes(KEY_BYTES));
  const key = await service.wrap(contentKey);
  const content = await encrypted(contentKey, { kid: String(key.version) }, plaintext, context);
  return { sealed: sealedText({ key, content }), keyVersion: key.version };
}

export async function openWith(service: Pick<KeyService, 'unwrap'>, sealed: string, context: SealContext) {
  const { key, content } = readSealed(sealed);
  return decrypted(await service.unwrap(key), content, context);
}

/** `secret` must have at least 256 random bits. The master keys cannot decrypt the text. */
export async function sealUnder(secret: string, plaintext: string, context: SealContext): Promise<string> {
  return JSON.stringify(await encrypted(keyUnder(secret), {}, plaintext, context));
}

/** @throws SealBrokenError if the secret, context or record is wrong. */
export async function openUnder(secret: string, sealed: string, context: SealContext): Promise<string> {
  return decrypted(keyUnder(secret), readContent(sealed), context);
}

/** Bytes, because base64 would add a third to the size. */
export async function sealFileUnder(secret: string, file: Uint8Array, context: SealContext): Promise<Buffer> {
  return encryptFile(keyUnder(secret), fileData(context), file);
}

/** @throws SealBrokenError if the secret, context or file is wrong. */
export async function openFileUnder(secret: string, sealed: Uint8Array, context: SealContext): Promise<Uint8Array> {
  const file = await decryptFile(keyUnder(secret), fileData(context), sealed);
  if (file === undefined)
    throw new SealBrokenError('An encrypted file was changed, or was copied from a different record.');
  return file;
}

async function encrypted(
  contentKey: Uint8Array,
  header: { kid?: string },
  plaintext: string,
  context: SealContext,
): Promise<StoredContent> {
  const jwe = await new FlattenedEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: DIRECT, enc: CONTENT_ENCRYPTION, ...header })
    .setAdditionalAuthenticatedData(contextBytes(context))
    .encrypt(contentKey);
  return { protected: jwe.protected!, iv: jwe.iv!, ciphertext: jwe.ciphertext, tag: jwe.tag! };
}

async function decrypted(contentKey: Uint8Array, content: StoredContent, context: SealContext): Promise<string> {
  const aad = base64url.encode(contextBytes(context));
  const only = { keyManagementAlgorithms: [DIRECT], contentEncryptionAlgorithms: [CONTENT_ENCRYPTION] };
  try {
    const { plaintext } = await flattenedDecrypt({ ...content, aad }, contentKey, only);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch (error) {
    throw new SealBrokenError('An encrypted record was changed, or was copied from a different record.', {
      cause: error,
    });
  }
}

/** Independent of the order of the context's members. */
function contextBytes(context: SealContext): Uint8Array {
  const members = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify(members));
}

/** The form of RFC 7516, section 5.1, step 14. */
function fileData(context: SealContext): Buffer {
  const header = base64url.encode(JSON.stringify({ alg: DIRECT, enc: CONTENT_ENCRYPTION }));
  return Buffer.from(`${header}.${base64url.encode(contextBytes(context))}`, 'ascii');
}

/** HKDF (RFC 5869). */
function keyUnder(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), DERIVED_KEYS.underSecret, KEY_BYTES));
}
