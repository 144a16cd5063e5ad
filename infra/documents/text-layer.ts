import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Word } from '../../domain/legacy/page.ts';
import { tooComplex } from './failure.ts';

type TextContent = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;
type TextItem = Extract<TextContent['items'][number], { str: string }>;
/** pdfjs types `transform` as `any[]`. */
type Item = Omit<TextItem, 'transform'> & { transform: number[] };

/** The text that the PDF itself contains, turned upright. */
export interface TextLayer {
  words: Word[];
  /** Texts that are not upright, joined for each direction. */
  stamps: string[];
  /** The number of letters and digits. */
  letters: number;
  width: number;
  height: number;
  /** The clockwise turn in degrees that makes the text upright. */
  rotation: number;
}

interface Placed {
  item: Item;
  /** In degrees clockwise on the page as shown, 0 to 360. */
  direction: number;
  size: number;
}

/** Hostile files may repeat text endlessly. */
const MOST_TEXTS = 20_000;
/** Above the baseline, relative to the font size. */
const ASCENT = 0.8;
/** Relative to the font size: the largest gap and overlap between pieces of one word. */
const JOINT = { apart: 0.12, over: 0.5 };
const BASELINE = 0.2;
const UPRIGHT_WITHIN_DEGREES = 12;

/** Turns the page so that most of its text is upright. */
export async function textLayerOf(page: PDFPageProxy): Promise<TextLayer> {
  const { texts, styles } = await textsOf(page);
  const shown = page.getViewport({ scale: 1 });
  const placed = texts.map((item) => directed(item, shown.transform as Matrix));
  const turn = mainTurn(placed);
  const rotation = (shown.rotation - turn + 360) % 360;
  const viewport = page.getViewport({ scale: 1, rotation });
  const matrix = viewport.transform as Matrix;
  const words: Word[] = [];
  const stamps = new Map<number, string>();
  let open: Word | undefined;
  for (const { item, direction, size } of placed) {
    if (angleBetween(direction, turn) > UPRIGHT_WITHIN_DEGREES || size === 0) {
      const degrees = Math.round(direction);
      stamps.set(degrees, (stamps.get(degrees) ?? '') + item.str);
      continue;
    }
    const pieces = piecesOf(item, size, matrix, styles[item.fontName]?.fontFamily === 'monospace');
    for (const piece of pieces) {
      if (open !== undefined && isContinued(open, piece)) {
        open.width = piece.x + piece.width - open.x;
        open.text += piece.text;
      } else words.push((open = piece));
    }
  }
  const letters = words.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
  return { words, stamps: [...stamps.values()], letters, width: viewport.width, height: viewport.height, rotation };
}

/** @throws Unreadable if the page has too many texts. pdfjs then stops reading the page. */
async function textsOf(page: PDFPageProxy) {
  const texts: Item[] = [];
  const styles: TextContent['styles'] = {};
  const reader = (page.streamTextContent() as ReadableStream<TextContent>).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    texts.push(...part.value.items.filter((item) => 'str' in item));
    Object.assign(styles, part.value.styles);
    if (texts.length <= MOST_TEXTS) continue;
    const error = tooComplex();
    await reader.cancel(error);
    throw error;
  }
  return { texts, styles };
}

type Matrix = [number, number, number, number, number, number];

function directed(item: Item, [a, b, c, d]: Matrix): Placed {
  const [ta = 0, tb = 0, tc = 0, td = 0] = item.transform;
  const x = a * ta + c * tb;
  const y = b * ta + d * tb;
  const degrees = (Math.atan2(y, x) * 180) / Math.PI;
  return { item, direction: (degrees + 360) % 360, size: Math.hypot(tc, td) };
}

function mainTurn(placed: readonly Placed[]): number {
  const letters = [0, 0, 0, 0];
  for (const { item, direction } of placed) letters[Math.round(direction / 90) % 4]! += item.str.trim().length;
  return letters.indexOf(Math.max(...letters)) * 90;
}

function angleBetween(a: number, b: number): number {
  const apart = Math.abs(a - b) % 360;
  return Math.min(apart, 360 - apart);
}

/** pdfjs gives only the width of the whole item, which usual widths of letters divide. */
function piecesOf(item: Item, size: number, [a, b, c, d, e, f]: Matrix, even: boolean): Word[] {
  const [, , , , left = 0, baseline = 0] = item.transform;
  const x = a * left + c * baseline + e;
  const y = b * left + d * baseline + f;
  const scale = Math.hypot(a, b);
  const letters = Array.from(item.str);
  const widths = letters.map((letter) => (even ? 1 : letterWidth(letter)));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const share = total === 0 ? 0 : (item.width * scale) / total;
  const words: Word[] = [];
  let at = 0;
  let open: Word | undefined;
  letters.forEach((letter, index) => {
    const width = widths[index]! * share;
    if (/\s/u.test(letter)) open = undefined;
    else if (open === undefined) {
      open = {
        text: letter,
        x: x + at,
        y: y - ASCENT * size * scale,
        width,
        height: size * scale,
        probability: 1,
        source: 'text',
      };
      words.push(open);
    } else {
      open.text += letter;
      open.width += width;
    }
    at += width;
  });
  return words;
}

/** A typeface may change within a word, or each letter may be an item. */
function isContinued(word: Word, next: Word): boolean {
  const gap = next.x - (word.x + word.width);
  const size = Math.min(word.height, next.height);
  return (
    gap < JOINT.apart * size &&
    gap > -JOINT.over * size &&
    Math.abs(next.y + ASCENT * next.height - word.y - ASCENT * word.height) < BASELINE * word.height
  );
}

/** Roughly as in common typefaces. */
function letterWidth(letter: string): number {
  if (/[ijl.,:;'|!ft()[\] ]/.test(letter)) return 0.3;
  if (/[mwMW@%]/.test(letter)) return 0.85;
  return /[A-Z&£]/.test(letter) ? 0.68 : 0.55;
}
