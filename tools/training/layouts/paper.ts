import type { Page, Word } from '../../../domain/legacy/page.ts';
import type { Role } from '../../../domain/legacy/scored.ts';
import type { Random } from '../../payslips/random.ts';

export interface Style {
  size?: number;
  bold?: boolean;
  align?: 'left' | 'right' | 'centre';
}

/** What the model learns from a word: its role, that it lacks some roles, or nothing. */
export type Lesson = Role | 'no-amount' | 'no-name' | 'no-name-or-period' | 'untaught';

export interface LabelledWord extends Word {
  role: Lesson;
}

/** A page that records its words. Lengths are points from the top left; the `y` of a text is its baseline. */
export interface Paper {
  readonly width: number;
  readonly height: number;
  readonly words: LabelledWord[];
  /** In points. */
  readonly size: number;
  /** Returns where the text ends. */
  text(x: number, y: number, text: string, style?: Style, role?: Role): number;
  widthOf(text: string, style?: Style): number;
}

interface PaperOptions {
  width: number;
  height: number;
  size: number;
  even: boolean;
  /** A multiple of the usual width. */
  stretch: number;
}

export const ASCENT = 0.8;

function newPaper({ width, height, size, even, stretch }: PaperOptions): Paper {
  const words: LabelledWord[] = [];
  const letter = (character: string): number => (even ? 0.6 : widthOfLetter(character)) * stretch;
  const measure = (text: string, scale: number, bold: boolean): number =>
    Array.from(text).reduce((sum, character) => sum + letter(character), 0) * scale * (bold ? 1.06 : 1);
  const widthOf = (text: string, style: Style = {}): number => measure(text, style.size ?? size, style.bold ?? false);
  return {
    width,
    height,
    words,
    size,
    widthOf,
    text(x, y, text, style = {}, role = 'none') {
      const scale = style.size ?? size;
      const bold = style.bold ?? false;
      const all = measure(text, scale, bold);
      const left = style.align === 'right' ? x - all : style.align === 'centre' ? x - all / 2 : x;
      let at = left;
      for (const part of text.split(/( +)/)) {
        const wide = measure(part, scale, bold);
        if (part.trim() !== '')
          words.push({
            text: part,
            x: at,
            y: y - ASCENT * scale,
            width: wide,
            height: scale,
            probability: 1,
            bold,
            source: 'text',
            role,
          });
        at += wide;
      }
      return left + all;
    },
  };
}

function widthOfLetter(letter: string): number {
  if (/[ijl.,:;'|!ft()[\] -]/.test(letter)) return 0.29;
  if (/[mwMW@%]/.test(letter)) return 0.85;
  return /[A-Z&£]/.test(letter) ? 0.68 : 0.55;
}

export type Words = Pick<Paper, 'width' | 'height' | 'words'>;

/** The form that the reader gets from a file's own text. */
export const pageOf = ({ width, height, words }: Words): Page => ({
  number: 1,
  width,
  height,
  words,
});

export function anyPaper(random: Random): Paper {
  const size = random.between(6.5, 11.5);
  const [width, height] = random.weighted([
    [[595, 842], 60],
    [[842, 595], 14],
    [[595, 420], 8],
    [[595, 561], 8],
    [[420, 842], 3],
    [[330, 720], 4],
    [[700, 990], 3],
  ] as [[number, number], number][]);
  return newPaper({ width, height, size, even: random.chance(0.2), stretch: random.between(0.82, 1.12) });
}
