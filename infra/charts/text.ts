import { INK, MUTED } from './palette.ts';

/* Readers see a chart in the fonts of their own machines. So the layout leaves room for the widest and tallest usual fonts. */

/** In pixels, around a chart. */
export const MARGIN = 16;
/** Lines in Noto Sans, the tallest, are 1.37 times as high as the font size. */
export const TITLE = { color: INK, fontSize: 18, fontWeight: 'bold', lineHeight: 25 } as const;
export const SUBTITLE = { color: MUTED, fontSize: 13, lineHeight: 18 } as const;
export const LABEL = { color: INK, fontSize: 13, lineHeight: 18 } as const;

/** The widths of the widest usual fonts, Verdana and DejaVu Sans, at font size 1, rounded up. */
const WIDTHS = new Map(
  Object.entries({
    0.29: "'il",
    0.4: ' !,.fjt',
    0.46: '"()-/:;IJ[]\\`r|',
    0.56: '*?_csz',
    0.66: '$0123456789£ELFPT{}abdeghknopquvxy',
    0.7: 'ABCKRSVXYZ',
    0.8: '&DGHNOQU',
    0.87: '#+<=>M^w~',
  }).flatMap(([width, characters]) => characters.split('').map((character) => [character, Number(width)] as const)),
);
const WIDEST = 1.1;
const BOLD = 1.17;

/** Is not visible, and has no width. */
const WORD_JOINER = '\u2060';

const graphemes = new Intl.Segmenter('en-GB');

interface Size {
  fontSize: number;
  fontWeight?: string;
}

/** In pixels. */
export function widthOf(text: string, { fontSize, fontWeight }: Size): number {
  // An accent does not make its letter wider.
  const characters = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .split('');
  const width = characters.reduce((sum, character) => sum + (WIDTHS.get(character) ?? WIDEST), 0);
  return width * fontSize * (fontWeight === 'bold' ? BOLD : 1);
}

/** Replaces the end of a text that could be wider than `width` pixels. Other people's words must pass here on their way to echarts. */
export function shortened(text: string, size: Size, width: number): string {
  const line = text.replace(/\s+/g, ' ');
  if (widthOf(line, size) <= width) {
    // echarts keeps widths in plain objects by text: `__proto__` would change the prototype of every object.
    return line in Object.prototype ? `${line}${WORD_JOINER}` : line;
  }
  const characters = Array.from(graphemes.segment(line), ({ segment }) => segment);
  while (characters.length > 0 && widthOf(`${characters.join('')}...`, size) > width) characters.pop();
  return `${characters.join('')}...`;
}
