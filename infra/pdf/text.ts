import { hasGlyph, SCRIPTS, useFont, type Document, type Script, type Weight } from './document.ts';

export interface Style {
  size: number;
  weight?: Weight;
  colour: string;
}

/** A character, or the number of a character that cannot be printed. Never breaks across lines. */
interface Piece {
  text: string;
  script: Script;
  /** At font size 1. */
  advance: number;
}

type Fitted = ReturnType<typeof fit>;

/**
 * Ligatures and arrows would change how an id looks. Without kerning, a line is as wide as the sum of its characters.
 * pdfkit's types omit `false`, which fontkit accepts for a feature.
 */
const AS_WRITTEN = { features: { calt: false, kern: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[] };
/** A line breaks at its last space or slash if fewer than this many pieces follow. */
const NEAR = 24;
/** The distance between baselines, as a multiple of the font size. */
const LEADING = 1.32;
/** A fraction of the font size, in addition to the typeface's own spacing. */
const LINE_GAP = 0.24;
const SHRINK = 0.5;
const OMISSION = ' [\u2026] ';

/** `y` is the baseline. */
export function line(
  document: Document,
  text: string,
  { x, y, align = 'left', ...style }: Style & { x: number; y: number; align?: 'left' | 'center' | 'right' },
): void {
  apply(document, style);
  const width = document.widthOfString(text);
  const left = { left: x, center: x - width / 2, right: x - width }[align];
  document.text(text, left, y, { lineBreak: false, baseline: 'alphabetic' });
}

export function widthOf(document: Document, text: string, style: Style): number {
  return apply(document, style).widthOfString(text);
}

/** `y` is the top edge. @returns the bottom edge. */
export function paragraph(
  document: Document,
  text: string,
  { x, y, width, ...style }: Style & { x: number; y: number; width: number },
): number {
  const height = heightOfParagraph(document, text, { width, ...style });
  document.text(text, x, y, { width, lineGap: style.size * LINE_GAP });
  return y + height;
}

export function heightOfParagraph(
  document: Document,
  text: string,
  { width, ...style }: Style & { width: number },
): number {
  return apply(document, style).heightOfString(text, { width, lineGap: style.size * LINE_GAP });
}

/**
 * A character missing from the typeface becomes its number, such as `‹U+4F60›`. Long text shrinks, down to `least`, and
 * then shows `[…]` instead of its middle.
 * @returns in `actual` the original text, if the lines differ from it.
 */
export function fit(
  document: Document,
  text: string,
  { width, lines: most, least, ...style }: Style & { width: number; lines: number; least: number },
) {
  const weight = style.weight ?? 400;
  const pieces = piecesOf(document, text, weight);
  const reads = pieces.map((piece) => piece.text).join('') === text;
  for (let size = style.size; ; size = Math.max(size - SHRINK, least)) {
    const set = { ...style, weight, size };
    const lines = wrap(pieces, width / size);
    if (lines.length <= most) return { style: set, lines, actual: reads ? undefined : text };
    if (size > least) continue;
    const omission = { text: OMISSION, script: 'latin', advance: advanceOf(document, OMISSION, weight) } as const;
    return { style: set, lines: withoutMiddle(pieces, omission, { width: width / size, most }), actual: text };
  }
}

export function heightOf({ lines, style }: Fitted): number {
  return lines.length * style.size * LEADING;
}

/** `y` is the top edge. */
export function drawFitted(document: Document, { lines, style }: Fitted, { x, y }: { x: number; y: number }): void {
  for (const [index, pieces] of lines.entries()) {
    let left = x;
    for (const { text, script, advance } of runsOf(pieces)) {
      apply(document, style, script);
      const base = y + (index * LEADING + 1) * style.size;
      document.text(text, left, base, { lineBreak: false, baseline: 'alphabetic', ...AS_WRITTEN });
      left += advance * style.size;
    }
  }
}

function piecesOf(document: Document, text: string, weight: Weight): Piece[] {
  // NFC joins accents to their letters, because few typefaces have separate accents.
  const characters = Array.from(text.normalize('NFC'));
  return characters.map((character, index) => {
    // Readers cannot see leading or repeated spaces, so the PDF shows numbers instead.
    const isUnseen = character === ' ' && [undefined, ' '].includes(characters[index - 1]);
    return (isUnseen ? numbered : pieceOf)(document, character, weight);
  });
}

function pieceOf(document: Document, text: string, weight: Weight): Piece {
  const isDrawn = text === ' ' || !/[\p{C}\p{Z}\p{M}]/u.test(text);
  const code = text.codePointAt(0)!;
  const script = isDrawn ? SCRIPTS.find((candidate) => hasGlyph(document, code, weight, candidate)) : undefined;
  if (script === undefined) return numbered(document, text, weight);
  return { text, script, advance: advanceOf(document, text, weight, script) };
}

function numbered(document: Document, character: string, weight: Weight): Piece {
  const number = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  const text = `\u2039U+${number}\u203a`;
  return { text, script: 'latin', advance: advanceOf(document, text, weight) };
}

function advanceOf(document: Document, text: string, weight: Weight, script: Script = 'latin'): number {
  return useFont(document, weight, script).fontSize(1).widthOfString(text, AS_WRITTEN);
}

/** `width` is in units of the font size. */
function wrap(pieces: readonly Piece[], width: number): Piece[][] {
  const lines: Piece[][] = [];
  let current: Piece[] = [];
  for (const piece of pieces) {
    if (current.length > 0 && sum(current) + piece.advance > width) {
      const gap = current.findLastIndex(({ text }) => text === ' ' || text === '/');
      const end = gap >= 0 && current.length - gap <= NEAR ? gap + 1 : current.length;
      lines.push(current.slice(0, end));
      current = current.slice(end);
    }
    current.push(piece);
  }
  return [...lines, current];
}

function withoutMiddle(
  pieces: readonly Piece[],
  omission: Piece,
  { width, most }: { width: number; most: number },
): Piece[][] {
  for (let kept = pieces.length - 1; ; kept -= 1) {
    const [head, tail] = [Math.ceil(kept / 2), pieces.length - Math.floor(kept / 2)];
    const lines = wrap([...pieces.slice(0, head), omission, ...pieces.slice(tail)], width);
    if (lines.length <= most || kept === 0) return lines;
  }
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { advance }) => total + advance, 0);
}

function runsOf(pieces: readonly Piece[]): Piece[] {
  const runs: Piece[] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    if (last?.script !== piece.script) {
      runs.push({ ...piece });
      continue;
    }
    last.text += piece.text;
    last.advance += piece.advance;
  }
  return runs;
}

function apply(document: Document, { size, weight = 400, colour }: Style, script: Script = 'latin'): Document {
  useFont(document, weight, script).fontSize(size).fillColor(colour);
  return document;
}
