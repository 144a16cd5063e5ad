import { fileTypeFromBuffer } from 'file-type';

/** A file's signature is within this many bytes of its start, for all supported types. */
const BEGINNING = 4_100;

/** The media type by the first bytes, not the name. Undefined if the type is unknown. */
export async function contentTypeOf(bytes: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(bytes.subarray(0, BEGINNING)).catch(() => undefined);
  if (found === undefined) return hasPngSignature(bytes) ? 'image/png' : undefined;
  // Of an animated PNG, the first image is read.
  return found.mime === 'image/apng' ? 'image/png' : found.mime;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `file-type` reads up to the first pixels of a PNG, and does not recognise one that was cut off before them. */
function hasPngSignature(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
