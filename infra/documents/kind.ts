import { fileTypeFromBuffer } from 'file-type';

/** A file's signature is within this many bytes of its start, for all supported types. */
const BEGINNING = 4_100;
/** PDF viewers find the header after as many other bytes, such as those that a mail server or printer driver adds. */
const MOST_BEFORE_PDF = 1_024;
const PDF_HEADER = Buffer.from('%PDF-');
const PICTURES: readonly string[] = ['image/jpeg', 'image/png'];

export interface FoundFile {
  /** The media type by the first bytes, not the name. Undefined if the type is unknown. */
  type: string | undefined;
  /** Without other bytes before the file. */
  bytes: Uint8Array;
}

export async function fileIn(bytes: Uint8Array): Promise<FoundFile> {
  const type = await signedTypeOf(bytes);
  if (type !== undefined) return { type, bytes };
  const pdf = Buffer.from(bytes.subarray(0, MOST_BEFORE_PDF + PDF_HEADER.length)).indexOf(PDF_HEADER);
  if (pdf !== -1) return { type: 'application/pdf', bytes: bytes.subarray(pdf) };
  // Web pages that send a picture often begin with a line end.
  const picture = bytes.subarray(lineEndLength(bytes));
  const pictureType = picture.length < bytes.length ? await signedTypeOf(picture) : undefined;
  return PICTURES.some((known) => known === pictureType) ? { type: pictureType, bytes: picture } : { type, bytes };
}

async function signedTypeOf(bytes: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(bytes.subarray(0, BEGINNING)).catch(() => undefined);
  if (found === undefined) return hasPngSignature(bytes) ? 'image/png' : undefined;
  // Of an animated PNG, the first image is read.
  return found.mime === 'image/apng' ? 'image/png' : found.mime;
}

function lineEndLength(bytes: Uint8Array): number {
  if (bytes[0] === 0x0d) return bytes[1] === 0x0a ? 2 : 1;
  return bytes[0] === 0x0a ? 1 : 0;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `file-type` reads up to the first pixels of a PNG, and does not recognise one that was cut off before them. */
function hasPngSignature(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
