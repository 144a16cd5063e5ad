/**
 * A word on an upright page. Lengths are in the page's own unit (points of a PDF, pixels of an image), with the origin
 * at the top left. The rules use only ratios of them.
 */
export interface Word {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** How certain OCR is of its letters, 0 to 1; 1 for text from the file itself. */
  probability: number;
  /** Whether the file's own text names a bold typeface; absent if unknown. */
  bold?: boolean;
  source: 'text' | 'ocr';
}

/** A page of a document as words with their places, in any order. */
export interface Page {
  /** From 1. */
  number: number;
  width: number;
  height: number;
  words: readonly Word[];
  /** Texts of the file that cross the page, such as a stamp; absent if there are none. */
  stamps?: readonly string[];
}
