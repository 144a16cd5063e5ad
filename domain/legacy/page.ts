/** A word on an upright page. The origin is the top left. Lengths are points in a PDF and pixels in an image. */
export interface Word {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The OCR's certainty of the letters, 0 to 1. Text in the file itself has 1. */
  probability: number;
  /** Undefined if unknown. */
  bold?: boolean;
  source: 'text' | 'ocr';
}

export interface Page {
  /** From 1. */
  number: number;
  width: number;
  height: number;
  words: readonly Word[];
  /** Texts that are not upright, such as a diagonal `SPECIMEN`. */
  stamps?: readonly string[];
}
