import { certaintyOf, isFromOcr } from './cell.ts';
import { isFigure, type Cell, type Figure, type Sheet } from './cells.ts';
import { around, centre, middle, sameRow, tall, wide, type Box, type Placed } from './geometry.ts';

/** What the model judges: an amount, or one word of any other text. */
export interface Token extends Box {
  text: string;
  words: readonly Placed[];
  figure: Figure | null;
}

export interface Features {
  /** Hashes of groups of letters, `GRAMS` for each token. Unused elements are 0. */
  grams: Int32Array;
  /** `NUMBERS` values for each token. */
  numbers: Float32Array;
  /** Left, top, right and bottom of each token, in word heights. */
  boxes: Float32Array;
}

export const GRAMS = 14;
export const NUMBERS = 30;
const BUCKETS = 8_192;
/** Registers of many employees have more tokens. */
const MOST_TOKENS = 400;

/** In reading order, at most `MOST_TOKENS`. */
export function tokensOf(sheet: Sheet): Token[] {
  const all = sheet.all.flatMap((cell: Cell | Figure) =>
    isFigure(cell) ? [tokenOf(cell.words, cell)] : cell.words.map((word) => tokenOf([word], null)),
  );
  return all.slice(0, MOST_TOKENS);
}

const tokenOf = (words: readonly Placed[], figure: Figure | null): Token => ({
  ...around(words),
  text: words.map(({ text }) => text).join(' '),
  words,
  figure,
});

/** Training and reading must compute the same numbers. */
export function featuresOf(sheet: Sheet, tokens: readonly Token[]): Features {
  const grams = new Int32Array(tokens.length * GRAMS);
  const numbers = new Float32Array(tokens.length * NUMBERS);
  const boxes = new Float32Array(tokens.length * 4);
  const sums = sumsOf(tokens);
  const rows = rowsOf(tokens);
  tokens.forEach((token, at) => {
    grams.set(gramsOf(token), at * GRAMS);
    numbers.set(
      [...ownNumbers(token), ...positionOf(sheet, token, rows.get(token)!), ...(sums.get(token) ?? NO_SUMS)],
      at * NUMBERS,
    );
    boxes.set([token.left, token.top, token.right, token.bottom], at * 4);
  });
  return { grams, numbers, boxes };
}

function gramsOf({ text, figure }: Token): number[] {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\x20-\x7e£]/g, '')
    .replace(/\d/g, '9');
  const word = `^${figure === null ? plain : plain.replace(/9+/g, '9')}$`;
  const ids = [idOf(word)];
  if (figure === null)
    for (let at = 0; at + 3 <= word.length && ids.length < GRAMS; at += 1) ids.push(idOf(word.slice(at, at + 3)));
  return ids;
}

/** FNV-1a. */
function idOf(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return 1 + ((value >>> 0) % (BUCKETS - 1));
}

const bit = (is: boolean): number => (is ? 1 : 0);
const MONTHS = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;

function ownNumbers({ text, words, figure, ...box }: Token): number[] {
  const pence = figure?.pence ?? 0;
  return [
    bit(figure !== null),
    Math.log10(Math.abs(pence) + 1) / 8,
    bit(pence < 0),
    bit(figure?.exact === true),
    bit(figure !== null && pence % 100 === 0),
    bit(/^\d{1,3}$/.test(text)),
    bit(/^\d{4,}$/.test(text)),
    bit(/\d[/.-]\w+[/.-]\d/.test(text)),
    bit(MONTHS.test(text)),
    bit(/\d/.test(text)),
    bit(text.length > 1 && text === text.toUpperCase() && /[A-Z]/.test(text)),
    bit(/^[A-Z][a-z]/.test(text)),
    bit(/^[A-Z]{2}\d{2,6}[A-D]?$/.test(text)),
    bit(/^[SCK]{0,2}\d{2,4}[LMNT]$|^(BR|0T|NT|D[01])$/.test(text)),
    bit(/^\d{3}\s?\/\w{2,}/.test(text)),
    bit(words.every(({ bold }) => bold)),
    bit(isFromOcr(words)),
    Math.min(3, tall(box)),
    certaintyOf(words),
  ];
}

function positionOf(sheet: Sheet, token: Token, row: readonly Token[]): number[] {
  const at = row.indexOf(token);
  const [before, after] = [row[at - 1], row[at + 1]];
  return [
    centre(token) / Math.max(1, sheet.width),
    middle(token) / Math.max(1, sheet.height),
    before === undefined ? 3 : Math.min(3, Math.max(-1, token.left - before.right)),
    after === undefined ? 3 : Math.min(3, Math.max(-1, after.left - token.right)),
    Math.min(2, row.filter(({ figure }) => figure !== null).length / 4),
    bit(token.text.endsWith(':')),
    Math.min(2, wide(token) / 10),
  ];
}

function rowsOf(tokens: readonly Token[]): Map<Token, Token[]> {
  return new Map(
    tokens.map((token) => [token, tokens.filter((other) => sameRow(other, token)).sort((a, b) => a.left - b.left)]),
  );
}

const NO_SUMS = [0, 0, 0, 0] as const;

/** The share of the largest amount, and whether an amount is a sum, part of a sum, or its column's sum. */
function sumsOf(tokens: readonly Token[]): Map<Token, readonly number[]> {
  const figures = tokens.filter(({ figure }) => figure !== null && figure.pence !== 0);
  const amounts = new Set(figures.map(({ figure }) => Math.abs(figure!.pence)));
  const largest = Math.max(1, ...amounts);
  return new Map(
    figures.map((token) => {
      const own = Math.abs(token.figure!.pence);
      const others = [...amounts].filter((amount) => amount !== own);
      const isSum = others.some((one) => one < own && one * 2 !== own && amounts.has(own - one));
      const isPart = others.some((one) => one !== own && amounts.has(own + one));
      return [token, [own / largest, bit(isSum), bit(isPart), bit(isColumnSum(token, figures))]];
    }),
  );
}

function isColumnSum(token: Token, figures: readonly Token[]): boolean {
  const above = figures
    .filter((one) => one.bottom < token.top + 0.4 && Math.abs(one.right - token.right) < 0.8)
    .sort((a, b) => b.bottom - a.bottom);
  let sum = 0;
  return above.slice(0, 16).some((one, at) => {
    sum += one.figure!.pence;
    return at > 0 && Math.abs(sum) === Math.abs(token.figure!.pence);
  });
}
