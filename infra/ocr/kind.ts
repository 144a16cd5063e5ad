import { fileTypeFromBuffer } from 'file-type';

/** What the reader takes. */
export type DocumentKind = 'pdf' | 'png' | 'jpeg';

// A PDF that a drawing program can edit is a PDF all the same, and so is a PNG that moves: its first picture is read.
const KINDS: Readonly<Record<string, DocumentKind>> = { pdf: 'pdf', ai: 'pdf', png: 'png', apng: 'png', jpg: 'jpeg' };

/** What a file is by its first bytes, whatever it is called; undefined for anything that the reader does not take. */
export async function kindOf(bytes: Uint8Array): Promise<DocumentKind | undefined> {
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found === undefined) return hasPngSignature(bytes) ? 'png' : undefined;
  return KINDS[found.ext];
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `file-type` reads on to the first pixels of a PNG, and names none that was cut off before them. */
export function hasPngSignature(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
