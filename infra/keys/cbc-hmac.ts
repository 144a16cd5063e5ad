import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { setImmediate as everybodyElse } from 'node:timers/promises';
import { free } from '../buffers.ts';

/** Bytes of a key: the first half is for the HMAC, the second for AES. */
export const KEY_BYTES = 64;

const IV_BYTES = 16;
const TAG_BYTES = 32;
const BLOCK_BYTES = 16;
/** What takes about half a millisecond. */
const SLICE_BYTES = 131_072;
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

/**
 * As `encrypt`, for what is long: in slices, so that others have their turn in between, and its outcome in one piece, IV first and tag
 * last, as RFC 7518's source (draft-mcgrew-aead-aes-cbc-hmac-sha2, section 2.1) has it.
 */
export async function encryptLong(
  key: Uint8Array,
  additional: Uint8Array,
  plaintext: Uint8Array,
  iv: Uint8Array = randomBytes(IV_BYTES),
): Promise<Buffer> {
  const { forMac, forCipher } = halvesOf(key);
  const padded = plaintext.length - (plaintext.length % BLOCK_BYTES) + BLOCK_BYTES;
  const sealed = Buffer.allocUnsafe(IV_BYTES + padded + TAG_BYTES);
  const [cipher, mac] = [createCipheriv(CIPHER, forCipher, iv), macOf(forMac, additional)];
  sealed.set(iv);
  mac.update(iv);
  let length = IV_BYTES;
  const append = (ciphertext: Buffer) => {
    sealed.set(ciphertext, length);
    length += ciphertext.length;
    mac.update(ciphertext);
    free(ciphertext);
  };
  for await (const slice of slicesOf(plaintext)) append(cipher.update(slice));
  append(cipher.final());
  sealed.set(tagBy(mac, additional), length);
  return sealed;
}

/** Opens what `encryptLong` gave; undefined as of `decrypt`. */
export async function decryptLong(
  key: Uint8Array,
  additional: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { forMac, forCipher } = halvesOf(key);
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const [untagged, tag] = [sealed.subarray(0, -TAG_BYTES), sealed.subarray(-TAG_BYTES)];
  const mac = macOf(forMac, additional);
  for await (const slice of slicesOf(untagged)) mac.update(slice);
  if (!timingSafeEqual(tag, tagBy(mac, additional))) return undefined;
  const decipher = createDecipheriv(CIPHER, forCipher, untagged.subarray(0, IV_BYTES));
  const parts: Buffer[] = [];
  for await (const slice of slicesOf(untagged.subarray(IV_BYTES))) parts.push(decipher.update(slice));
  return Buffer.concat([...parts, decipher.final()]);
}

/** In order, each after everybody else had a turn. */
async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    await everybodyElse();
    yield bytes.subarray(from, from + SLICE_BYTES);
  }
}

function tagOf(key: KeyObject, additional: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  return tagBy(macOf(key, additional).update(iv).update(ciphertext), additional);
}

function macOf(key: KeyObject, additional: Uint8Array) {
  return createHmac('sha512', key).update(additional);
}

/** The tag of what a MAC was given. */
function tagBy(mac: ReturnType<typeof macOf>, additional: Uint8Array): Buffer {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(BigInt(additional.length) * 8n);
  return mac.update(bits).digest().subarray(0, TAG_BYTES);
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
