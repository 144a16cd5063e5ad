import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** The first half of the key is for the HMAC, the second half for AES. */
export const KEY_BYTES = 64;

export const IV_BYTES = 16;
export const TAG_BYTES = 32;
const BLOCK_BYTES = 16;
/** A slice of this size takes about half a millisecond. */
const SLICE_BYTES = 131_072;
const CIPHER = 'aes-256-cbc';

/**
 * A256CBC-HS512 (RFC 7518, section 5.2.5), in slices, so that a file does not block other requests.
 * @returns IV, ciphertext and tag (draft-mcgrew-aead-aes-cbc-hmac-sha2, section 2.1)
 */
export async function encrypt(
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

/** Decrypts nothing and returns undefined if the tag does not match. */
export async function decrypt(
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

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    if (from > 0) await yieldToOthers();
    yield bytes.subarray(from, from + SLICE_BYTES);
  }
}

function macOf(key: KeyObject, additional: Uint8Array) {
  return createHmac('sha512', key).update(additional);
}

function tagBy(mac: ReturnType<typeof macOf>, additional: Uint8Array): Buffer {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(BigInt(additional.length) * 8n);
  return mac.update(bits).digest().subarray(0, TAG_BYTES);
}

/** Node uses key objects five times faster than bytes. */
function halvesOf(key: Uint8Array): { forMac: KeyObject; forCipher: KeyObject } {
  if (key.length !== KEY_BYTES) throw new RangeError(`a key of A256CBC-HS512 has ${KEY_BYTES} bytes`);
  const half = KEY_BYTES / 2;
  return { forMac: createSecretKey(key.subarray(0, half)), forCipher: createSecretKey(key.subarray(half)) };
}

/** Megabytes of buffers make V8 collect garbage more often. Does not free a shared buffer. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
