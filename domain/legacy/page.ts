/**
 * A word as it stands on a page that was turned upright. Lengths are in the page's own unit (points of a PDF, pixels of an image), with
 * the origin at the top left; the rules work with ratios of them only.
 */
export interface Word {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** How sure the reader is of its letters, 0 to 1; 1 for text that the file itself holds. */
  probability: number;
  /** Whether the file's own text names a bold typeface; absent where that is not known. */
  bold?: boolean;
  source: 'text' | 'ocr';
}

/** A page of a document as words with their places, in no certain order. */
export interface Page {
  /** From 1. */
  number: number;
  width: number;
  height: number;
  words: readonly Word[];
}
