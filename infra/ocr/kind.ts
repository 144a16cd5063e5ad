import { fileTypeFromBuffer } from 'file-type';

/** What the reader takes. */
export type DocumentKind = 'pdf' | 'png' | 'jpeg';

// A PDF that a drawing program can edit is a PDF all the same, and so is a PNG that moves: its first picture is read.
const KINDS: Readonly<Record<string, DocumentKind>> = { pdf: 'pdf', ai: 'pdf', png: 'png', apng: 'png', jpg: 'jpeg' };

/** What a file is by its first bytes, whatever it is called; undefined for anything that the reader does not take. */
export async function kindOf(bytes: Uint8Array): Promise<DocumentKind | undefined> {
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  return found === undefined ? undefined : KINDS[found.ext];
}
