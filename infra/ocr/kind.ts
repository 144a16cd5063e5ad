import { fileTypeFromBuffer } from 'file-type';

type DocumentKind = 'pdf' | 'png' | 'jpeg';

// Of an animated PNG, the first image is read.
const KINDS: Readonly<Record<string, DocumentKind>> = { pdf: 'pdf', ai: 'pdf', png: 'png', apng: 'png', jpg: 'jpeg' };

/** By the first bytes, not the name. Undefined if the reader does not accept the format. */
export async function kindOf(bytes: Uint8Array): Promise<DocumentKind | undefined> {
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found === undefined) return hasPngSignature(bytes) ? 'png' : undefined;
  return KINDS[found.ext];
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `file-type` reads up to the first pixels of a PNG, and does not recognise one that was cut off before them. */
export function hasPngSignature(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
