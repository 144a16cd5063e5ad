import { around, type Box, type Placed } from './geometry.ts';

/** Words on one row that belong together, such as a label, a name or a date. */
export interface Cell extends Box {
  text: string;
  words: readonly Placed[];
  page: number;
  probability: number;
  source: 'text' | 'ocr';
  bold: boolean;
}

export interface Figure extends Cell {
  /** May be negative. */
  pence: number;
  /** Whether the amount is printed with pence. */
  exact: boolean;
}

export const isFigure = (cell: Cell | Figure): cell is Figure => 'pence' in cell;

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

export const packed = (words: readonly { text: string }[]): string => words.map(({ text }) => text).join('');
