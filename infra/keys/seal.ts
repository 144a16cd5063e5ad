import { hkdfSync, randomBytes } from 'node:crypto';
import { FlattenedEncrypt, flattenedDecrypt, type FlattenedJWE, type JWEHeaderParameters } from 'jose';
import { readContent, readSealed, sealedText, type StoredContent } from './sealed-text.ts';
import { SealBrokenError, type KeyService } from './service.ts';

export { SealBrokenError };

/** What a sealed record belongs to; it opens only where the very same is given again. */
export type SealContext = Readonly<Record<string, string>>;

const CONTENT_ENCRYPTION = 'A256CBC-HS512';
const CONTENT_KEY_BYTES = 64;
const DIRECT = 'dir';

/**
 * Seals under a fresh content key (A256CBC-HS512, RFC 7518 section 5.2.5), which the current master key wraps. Its version is
 * the `kid` of the content's protected header, and so part of the associated data.
 */
export async function sealWith(service: Pick<KeyService, 'wrap'>, plaintext: string, context: SealContext) {
  const contentKey = new Uint8Array(randomBytes(CONTENT_KEY_BYTES));
  const key = await service.wrap(contentKey);
  const content = await encrypted(contentKey, { kid: String(key.version) }, plaintext, context);
  return { sealed: sealedText({ key, content }), keyVersion: key.version };
}

/** Opens what `sealWith` gave. */
export async function openWith(service: Pick<KeyService, 'unwrap'>, sealed: string, context: SealContext) {
  const { key, content } = readSealed(sealed);
  return decrypted(await service.unwrap(key), content, context);
}

/** Seals under a key derived by HKDF (RFC 5869) from a secret that has 256 bits of its own. */
export async function sealUnder(secret: string, plaintext: string, context: SealContext): Promise<string> {
  return JSON.stringify(await encrypted(keyUnder(secret), {}, plaintext, context));
}

/** Opens what `sealUnder` gave. */
export async function openUnder(secret: string, sealed: string, context: SealContext): Promise<string> {
  return decrypted(keyUnder(secret), readContent(sealed), context);
}

async function encrypted(
  contentKey: Uint8Array,
  header: Pick<JWEHeaderParameters, 'kid'>,
  plaintext: string,
  context: SealContext,
): Promise<StoredContent> {
  const jwe = await new FlattenedEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: DIRECT, enc: CONTENT_ENCRYPTION, ...header })
    .setAdditionalAuthenticatedData(additionalData(context))
    .encrypt(contentKey);
  return { protected: jwe.protected!, iv: jwe.iv!, ciphertext: jwe.ciphertext, tag: jwe.tag! };
}

/** jose compares the tag before it decrypts. */
async function decrypted(contentKey: Uint8Array, content: StoredContent, context: SealContext): Promise<string> {
  const jwe: FlattenedJWE = { ...content, aad: Buffer.from(additionalData(context)).toString('base64url') };
  try {
    const { plaintext } = await flattenedDecrypt(jwe, contentKey, {
      keyManagementAlgorithms: [DIRECT],
      contentEncryptionAlgorithms: [CONTENT_ENCRYPTION],
    });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch (error) {
    throw new SealBrokenError('A sealed record was changed, or belongs elsewhere.', { cause: error });
  }
}

/** One form per context, whatever the order of its members. */
function additionalData(context: SealContext): Uint8Array {
  const members = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify(members));
}

function keyUnder(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), 'ringfence sealed under a secret', 64));
}
