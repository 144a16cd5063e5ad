/** A word on an upright page. The origin is the top left. Lengths are points in a PDF and pixels in an image. */
export interface Word {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The OCR's certainty of the word's letters, 0 to 1; 1 for text in the file itself. */
  probability: number;
  /** Whether the file names a bold typeface for the word; undefined if unknown. */
  bold?: boolean;
  source: 'text' | 'ocr';
}

export interface Page {
  /** The page number, from 1. */
  number: number;
  width: number;
  height: number;
  words: readonly Word[];
  /** Texts in the file that are not upright, such as a diagonal `SPECIMEN`; undefined if there are none. */
  stamps?: readonly string[];
}
