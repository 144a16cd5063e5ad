import { reread } from './misread.ts';
import type { Page, Word } from './page.ts';

/** In multiples of the page's median word height. The origin is the top left. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Placed extends Box {
  text: string;
  probability: number;
  source: Word['source'];
  bold: boolean;
  /** The word of the page from which this word was made, whole or in part. */
  origin: Word;
}

export const middle = (box: Box): number => (box.top + box.bottom) / 2;
export const centre = (box: Box): number => (box.left + box.right) / 2;
export const tall = (box: Box): number => box.bottom - box.top;
export const wide = (box: Box): number => box.right - box.left;

/** As a share of the narrower box, 0 to 1. */
export function overlapAcross(a: Box, b: Box): number {
  const shared = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return Math.max(0, shared) / Math.max(0.01, Math.min(wide(a), wide(b)));
}

export function sameRow(a: Box, b: Box, tolerance = 0.55): boolean {
  return Math.abs(middle(a) - middle(b)) < tolerance * Math.max(1, Math.min(tall(a), tall(b)));
}

export function around(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    right: Math.max(...boxes.map((box) => box.right)),
    top: Math.min(...boxes.map((box) => box.top)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}

export function inReadingOrder(a: Box & { text: string }, b: Box & { text: string }): number {
  return a.top - b.top || a.left - b.left || (a.text < b.text ? -1 : 1);
}

/** The median word height. */
export function unitOf(page: Page): number {
  const heights = inked(page).map(({ height }) => height);
  return heights.sort((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 1;
}

function inked({ words }: Page): Word[] {
  return words.filter(({ text, height }) => text.trim() !== '' && height > 0);
}

/** From left to right, without empty and repeated words. */
export function placed(page: Page): Placed[] {
  const unit = unitOf(page);
  const words = inked(page).flatMap((word) => pieces(word, unit));
  words.sort((a, b) => a.left - b.left || a.top - b.top || (a.text < b.text ? -1 : 1));
  return words
    .map((word) => withoutNext(word, words))
    .filter(
      (word, at) =>
        !words.slice(Math.max(0, at - 40), at).some((other) => drawnTwice(other, word)) &&
        !(isLetter(word) && words.some((other) => seenTwice(other, word))),
    );
}

function pieces(word: Word, unit: number): Placed[] {
  const printed = word.source === 'ocr' ? reread(word.text.trim()) : word.text.trim();
  const texts = printed.split(/\s+/u);
  const perLetter = word.width / Math.max(1, texts.join(' ').length);
  let start = word.x;
  return texts.map((text) => {
    const left = start;
    start += (text.length + 1) * perLetter;
    return {
      text,
      left: left / unit,
      right: (left + text.length * perLetter) / unit,
      top: word.y / unit,
      bottom: (word.y + word.height) / unit,
      probability: word.probability,
      source: word.source,
      bold: word.bold ?? false,
      origin: word,
    };
  });
}

/** Removes the next word's first letter, which OCR read as part of both words: `StA` before `Aidan's`. */
function withoutNext(word: Placed, words: readonly Placed[]): Placed {
  if (word.source !== 'ocr' || word.text.length < 2 || !/[a-z]$/i.test(word.text)) return word;
  const pitch = wide(word) / word.text.length;
  const isTwice = words.some(
    (next) =>
      next.text.startsWith(word.text.at(-1)!) &&
      next.right > word.right &&
      word.right - next.left > 0.3 * pitch &&
      word.right - next.left < 1.5 * pitch &&
      Math.abs(middle(word) - middle(next)) < 0.3 * tall(word),
  );
  return isTwice ? { ...word, text: word.text.slice(0, -1), right: word.right - pitch } : word;
}

const isLetter = ({ source, text }: Placed): boolean => source === 'ocr' && text.length === 1;

/** Whether OCR read a letter both alone and in a longer word: `PAYE R` beside `REF 399`. */
function seenTwice(word: Placed, letter: Placed): boolean {
  return (
    word.text.length > 1 &&
    word.source === 'ocr' &&
    overlapAcross(word, letter) > 0.7 &&
    Math.abs(middle(word) - middle(letter)) < 0.3 * tall(word)
  );
}

function drawnTwice(a: Placed, b: Placed): boolean {
  return a.text === b.text && Math.abs(a.left - b.left) < 0.3 && Math.abs(a.top - b.top) < 0.3 && a.source === b.source;
}
