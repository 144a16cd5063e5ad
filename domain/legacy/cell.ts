import { around, type Box, type Placed } from './geometry.ts';

/** Words on one row that belong together, such as a label, a name or a date. */
export interface Cell extends Box {
  text: string;
  words: readonly Placed[];
  probability: number;
  source: 'text' | 'ocr';
}

export interface Figure extends Cell {
  /** May be negative. */
  pence: number;
  /** Whether the amount is printed with pence. */
  exact: boolean;
}

export const isFigure = (cell: Cell | Figure): cell is Figure => 'pence' in cell;

export const isFromOcr = (words: readonly { source: 'text' | 'ocr' }[]): boolean => words.some(({ source }) => source === 'ocr'); // prettier-ignore
export const certaintyOf = (words: readonly { probability: number }[]): number =>
  Math.min(...words.map(({ probability }) => probability));

export function cellOf(words: readonly Placed[]): Cell {
  return {
    ...around(words),
    text: words.map((word) => word.text).join(' '),
    words,
    probability: certaintyOf(words),
    source: isFromOcr(words) ? 'ocr' : 'text',
  };
}

export const packed = (words: readonly { text: string }[]): string => words.map(({ text }) => text).join('');
