import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

/** Bytes of a key: the first half is for the HMAC, the second for AES. */
export const KEY_BYTES = 64;

const IV_BYTES = 16;
const TAG_BYTES = 32;
const CIPHER = 'aes-256-cbc';

/** What `encrypt` gives, as a JWE has it. */
export interface Encrypted {
  iv: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/**
 * A256CBC-HS512 of RFC 7518, section 5.2.5: AES-256-CBC, then an HMAC-SHA-512 over additional data, IV and ciphertext, cut to
 * half. Put together from OpenSSL's parts, because `jose` goes to the thread pool six times for a record of 200 bytes.
 */
export function encrypt(
  key: Uint8Array,
  additional: Uint8Array,
  plaintext: string,
  iv = randomBytes(IV_BYTES),
): Encrypted {
  const { forMac, forCipher } = halvesOf(key);
  const cipher = createCipheriv(CIPHER, forCipher, iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return { iv, ciphertext, tag: tagOf(forMac, additional, iv, ciphertext) };
}

/** Undefined where the tag is of something else: then nothing was decrypted. */
export function decrypt(key: Uint8Array, additional: Uint8Array, given: Encrypted): Uint8Array | undefined {
  const { iv, ciphertext, tag } = given;
  const { forMac, forCipher } = halvesOf(key);
  if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) return undefined;
  if (!timingSafeEqual(tag, tagOf(forMac, additional, iv, ciphertext))) return undefined;
  const decipher = createDecipheriv(CIPHER, forCipher, iv);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

function tagOf(key: KeyObject, additional: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(BigInt(additional.length) * 8n);
  const mac = createHmac('sha512', key).update(additional).update(iv).update(ciphertext).update(bits);
  return mac.digest().subarray(0, TAG_BYTES);
}

/**
 * As key objects, which Node takes five times as quickly as bytes.
 * @throws RangeError for a key of another length: its halves would be two other keys.
 */
function halvesOf(key: Uint8Array): { forMac: KeyObject; forCipher: KeyObject } {
  if (key.length !== KEY_BYTES) throw new RangeError(`a key of A256CBC-HS512 has ${KEY_BYTES} bytes`);
  const half = KEY_BYTES / 2;
  return { forMac: createSecretKey(key.subarray(0, half)), forCipher: createSecretKey(key.subarray(half)) };
}
