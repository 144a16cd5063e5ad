import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const ENCRYPTION_KEY = createSecretKey(Buffer.alloc(32, 1));
const MAC_KEY = createSecretKey(Buffer.alloc(32, 2));

/** AES-256-CBC with an HMAC, the minimum for an encrypted record. */
export interface BareSealed {
  sealed: Buffer;
  iv: Buffer;
  tag: Buffer;
}

export function seal(text: string, context: string): BareSealed {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', ENCRYPTION_KEY, iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { sealed, iv, tag: tagOf(context, iv, sealed) };
}

export function open({ sealed, iv, tag }: BareSealed, context: string): string {
  if (!timingSafeEqual(tag, tagOf(context, iv, sealed))) throw new Error('the record was changed');
  const decipher = createDecipheriv('aes-256-cbc', ENCRYPTION_KEY, iv);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
}

function tagOf(context: string, iv: Buffer, sealed: Buffer): Buffer {
  return createHmac('sha512', MAC_KEY).update(context).update(iv).update(sealed).digest().subarray(0, 32);
}
