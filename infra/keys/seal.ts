import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt, IV_BYTES, KEY_BYTES, TAG_BYTES } from './content-encryption.ts';
import { readContent, readSealed, sealedText, type StoredContent } from './sealed-text.ts';
import { SealBrokenError, type KeyService } from './service.ts';
import { DERIVED_KEYS } from '../../domain/frozen-strings.ts';

export { SealBrokenError };

/** What a sealed record belongs to. Decryption fails with any other context. */
export type SealContext = Readonly<Record<string, string>>;

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
  return encrypt(keyUnder(secret), additionalData(headerOf({}), context), file);
}

/** @throws SealBrokenError if the secret, context or file is wrong. */
export async function openFileUnder(secret: string, sealed: Uint8Array, context: SealContext): Promise<Uint8Array> {
  const file = await decrypt(keyUnder(secret), additionalData(headerOf({}), context), sealed);
  if (file === undefined) throw broken('file');
  return file;
}

async function encrypted(contentKey: Uint8Array, header: { kid?: string }, plaintext: string, context: SealContext) {
  const encoded = headerOf(header);
  const sealed = await encrypt(contentKey, additionalData(encoded, context), Buffer.from(plaintext));
  return {
    protected: encoded,
    iv: sealed.toString('base64url', 0, IV_BYTES),
    ciphertext: sealed.toString('base64url', IV_BYTES, sealed.length - TAG_BYTES),
    tag: sealed.toString('base64url', sealed.length - TAG_BYTES),
  };
}

async function decrypted(contentKey: Uint8Array, content: StoredContent, context: SealContext): Promise<string> {
  const { protected: header, iv, ciphertext, tag } = content;
  const parts = [iv, ciphertext, tag].map((part) => Buffer.from(part, 'base64url'));
  if (parts[0]!.length !== IV_BYTES || parts[2]!.length !== TAG_BYTES) throw broken('record');
  try {
    // The tag authenticates the header too, so `alg` and `enc` need no check.
    const plaintext = await decrypt(contentKey, additionalData(header, context), Buffer.concat(parts));
    if (plaintext !== undefined) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch (error) {
    throw broken('record', error);
  }
  throw broken('record');
}

function broken(what: 'record' | 'file', cause?: unknown): SealBrokenError {
  return new SealBrokenError(`An encrypted ${what} was changed, or was copied from a different record.`, { cause });
}

function headerOf(header: { kid?: string }): string {
  return base64url(JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512', ...header }));
}

/** RFC 7516, section 5.1, step 14. The order of the context's members does not matter. */
function additionalData(header: string, context: SealContext): Buffer {
  const members = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(`${header}.${base64url(JSON.stringify(members))}`, 'ascii');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** HKDF (RFC 5869). */
function keyUnder(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), DERIVED_KEYS.underSecret, KEY_BYTES));
}
