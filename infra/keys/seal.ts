import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, decryptLong, encrypt, encryptLong, KEY_BYTES } from './cbc-hmac.ts';
import { readContent, readSealed, sealedText, type StoredContent } from './sealed-text.ts';
import { SealBrokenError, type KeyService } from './service.ts';

export { SealBrokenError };

/** What a sealed record belongs to; it opens only where the very same is given again. */
export type SealContext = Readonly<Record<string, string>>;

const CONTENT_ENCRYPTION = 'A256CBC-HS512';
const DIRECT = 'dir';

/**
 * Seals as a JWE (RFC 7516) under a fresh content key (A256CBC-HS512), which the current master key wraps. Its version is
 * the `kid` of the content's protected header, and so part of the associated data.
 */
export async function sealWith(service: Pick<KeyService, 'wrap'>, plaintext: string, context: SealContext) {
  const contentKey = new Uint8Array(randomBytes(KEY_BYTES));
  const key = await service.wrap(contentKey);
  const content = encrypted(contentKey, { kid: String(key.version) }, plaintext, context);
  return { sealed: sealedText({ key, content }), keyVersion: key.version };
}

/** Opens what `sealWith` gave. */
export async function openWith(service: Pick<KeyService, 'unwrap'>, sealed: string, context: SealContext) {
  const { key, content } = readSealed(sealed);
  return decrypted(await service.unwrap(key), content, context);
}

/** Seals under a key derived by HKDF (RFC 5869) from a secret that has 256 bits of its own. */
export function sealUnder(secret: string, plaintext: string, context: SealContext): string {
  return JSON.stringify(encrypted(keyUnder(secret), {}, plaintext, context));
}

/** Opens what `sealUnder` gave. */
export function openUnder(secret: string, sealed: string, context: SealContext): string {
  return decrypted(keyUnder(secret), readContent(sealed), context);
}

/**
 * Seals a file under a secret, as `sealUnder` does a text, in slices, and as bytes, which base64 would make a third more.
 */
export async function sealFileUnder(secret: string, file: Uint8Array, context: SealContext): Promise<Buffer> {
  return encryptLong(keyUnder(secret), additionalData(headerOf({}), context), file);
}

/** Opens what `sealFileUnder` gave. */
export async function openFileUnder(secret: string, sealed: Uint8Array, context: SealContext): Promise<Uint8Array> {
  const file = await decryptLong(keyUnder(secret), additionalData(headerOf({}), context), sealed);
  if (file === undefined) throw new SealBrokenError('A sealed file was changed, or belongs elsewhere.');
  return file;
}

function encrypted(
  contentKey: Uint8Array,
  header: { kid?: string },
  plaintext: string,
  context: SealContext,
): StoredContent {
  const shown = headerOf(header);
  const { iv, ciphertext, tag } = encrypt(contentKey, additionalData(shown, context), plaintext);
  return {
    protected: shown,
    iv: iv.toString('base64url'),
    ciphertext: ciphertext.toString('base64url'),
    tag: tag.toString('base64url'),
  };
}

function headerOf(more: { kid?: string }): string {
  return Buffer.from(JSON.stringify({ alg: DIRECT, enc: CONTENT_ENCRYPTION, ...more })).toString('base64url');
}

function decrypted(contentKey: Uint8Array, content: StoredContent, context: SealContext): string {
  try {
    requireOurs(content.protected);
    const parts = { iv: bytes(content.iv), ciphertext: bytes(content.ciphertext), tag: bytes(content.tag) };
    const plaintext = decrypt(contentKey, additionalData(content.protected, context), parts);
    if (plaintext === undefined) throw new Error('the tag is of something else');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch (error) {
    throw new SealBrokenError('A sealed record was changed, or belongs elsewhere.', { cause: error });
  }
}

/** @throws Error unless the header names the one way in which we seal. */
function requireOurs(header: string): void {
  const { alg, enc } = JSON.parse(bytes(header).toString('utf8')) as Record<string, unknown>;
  if (alg !== DIRECT || enc !== CONTENT_ENCRYPTION) throw new Error('the header names another encryption');
}

function bytes(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}

/** As RFC 7516, section 5.1, step 14 has it, of the header and the context in one form, whatever the order of its members. */
function additionalData(header: string, context: SealContext): Buffer {
  const members = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(`${header}.${Buffer.from(JSON.stringify(members)).toString('base64url')}`, 'ascii');
}

function keyUnder(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'ringfence sealed under a secret', KEY_BYTES));
}
