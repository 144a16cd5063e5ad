import { around, type Box, type Placed } from './geometry.ts';

/** Words on a row that belong together: a label, a name, a date. */
export interface Cell extends Box {
  text: string;
  words: readonly Placed[];
  page: number;
  probability: number;
  source: 'text' | 'ocr';
  bold: boolean;
}

/** A printed amount of money. */
export interface Figure extends Cell {
  /** Signed pence. */
  pence: number;
  /** Whether its pence are printed. */
  exact: boolean;
}

export const isFigure = (cell: Cell | Figure): cell is Figure => 'pence' in cell;

/** Makes a cell from words of one row. */
export function cellOf(words: readonly Placed[], page: number): Cell {
  return {
    ...around(words),
    text: words.map((word) => word.text).join(' '),
    words,
    page,
    probability: Math.min(...words.map((word) => word.probability)),
    source: words.some((word) => word.source === 'ocr') ? 'ocr' : 'text',
    bold: words.every((word) => word.bold),
  };
}
