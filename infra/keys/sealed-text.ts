import { SealBrokenError, type WrappedKey } from './service.ts';

/** A JWE without its additional authenticated data, which the reader supplies. Stored in this order of members. */
export interface StoredContent {
  protected: string;
  iv: string;
  ciphertext: string;
  tag: string;
}

interface Sealed {
  key: WrappedKey;
  content: StoredContent;
}

/** The text must begin with `{"key":{"version":N,`, because SQL queries read the version there. */
export function sealedText({ key, content }: Sealed): string {
  const { version, wrapped } = key;
  return JSON.stringify({
    key: { version, wrapped: Buffer.from(wrapped).toString('base64url') },
    content,
  });
}

/** @throws SealBrokenError unless the text is exactly what `sealedText` writes. */
export function readSealed(text: string): Sealed {
  const { key, content } = parsed(text) as { key?: { version?: unknown; wrapped?: unknown }; content?: unknown };
  const version = key?.version;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) throw notOurs();
  const wrapped = Buffer.from(bytesOf(key?.wrapped));
  const sealed: Sealed = { key: { version, wrapped }, content: contentOf(content) };
  if (sealedText(sealed) !== text) throw notOurs();
  return sealed;
}

/** Reads a record without a wrapped key, as strictly as `readSealed`. */
export function readContent(text: string): StoredContent {
  const content = contentOf(parsed(text));
  if (JSON.stringify(content) !== text) throw notOurs();
  return content;
}

function contentOf(value: unknown): StoredContent {
  const { protected: header, iv, ciphertext, tag } = (value ?? {}) as Partial<Record<keyof StoredContent, unknown>>;
  return { protected: base64url(header), iv: base64url(iv), ciphertext: base64url(ciphertext), tag: base64url(tag) };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error below says so.
  }
  throw notOurs();
}

/** Refuses what decoders accept: white space, padding and unused bits. */
function base64url(value: unknown): string {
  return bytesOf(value).toString('base64url');
}

function bytesOf(value: unknown): Buffer {
  if (typeof value !== 'string') throw notOurs();
  const bytes = Buffer.from(value, 'base64url');
  if (bytes.toString('base64url') !== value) throw notOurs();
  return bytes;
}

function notOurs(): SealBrokenError {
  return new SealBrokenError('An encrypted record was changed, or was copied from a different record.');
}
