import { wholeNumber } from './figures.ts';
import { around, inReadingOrder, middle, placed, tall, wide, type Box, type Placed } from './geometry.ts';
import { headingOf, labelOf } from './labels.ts';
import { moneyAt } from './money-words.ts';
import type { Page } from './page.ts';
import { straightened } from './straighten.ts';

/** Words that belong together on a row: a label, a name, a date. */
export interface Cell extends Box {
  text: string;
  words: readonly Placed[];
  page: number;
  probability: number;
  source: 'text' | 'ocr';
  bold: boolean;
}

/** An amount of money as it is printed. */
export interface Figure extends Cell {
  /** Signed pence. */
  pence: number;
  /** Whether its pence are printed. */
  exact: boolean;
}

/** A page in cells. Lengths are in its median word height. */
export interface Sheet {
  page: number;
  cells: readonly Cell[];
  figures: readonly Figure[];
  /** Cells and figures together, in reading order. */
  all: readonly (Cell | Figure)[];
  width: number;
  height: number;
}

/** The widest gap between words of one cell, in word heights. */
const GAP = 1.15;
/** What belongs to the words before it even where spaces are wide: `(EES)`, the ending of a company's name. */
export const BELONGS = /^(\([a-z]+\)|ltd|limited|plc|llp)[.,]?$/i;
const WIDER = 1.5;

/** Puts the words of a page together to cells and figures. */
export function sheetOf(page: Page): Sheet {
  const words = straightened(placed(page));
  const unit = page.words.length === 0 ? 1 : unitOf(page);
  const parts = runsOf(words).flatMap((run) => partsOf(run, page.number));
  const figures = withNoughts(parts, parts.filter(isFigure));
  const pairs = poundsAndPence(parts, figures, page.number);
  const used = new Set<Cell>(pairs.flatMap((pair) => pair.from));
  const cells = parts.filter(
    (part) => !isFigure(part) && !used.has(part) && !figures.some((one) => one.words === part.words),
  );
  const amounts = [...figures.filter((figure) => !used.has(figure)), ...pairs.map((pair) => pair.figure)].sort(
    inReadingOrder,
  );
  return {
    page: page.number,
    cells: cells.sort(inReadingOrder),
    figures: amounts,
    all: [...cells, ...amounts].sort(inReadingOrder),
    width: page.width / unit,
    height: page.height / unit,
  };
}

/** The amounts, and the dashes that stand for nought in a column of them. */
function withNoughts(parts: readonly Cell[], figures: readonly Figure[]): Figure[] {
  const noughts = parts.filter(
    (part) =>
      /^[-–—]$/.test(part.text) && figures.filter((figure) => Math.abs(figure.right - part.right) < 0.7).length >= 2,
  );
  return [...figures, ...noughts.map((part) => ({ ...part, pence: 0, exact: true }))];
}

export const isFigure = (cell: Cell | Figure): cell is Figure => 'pence' in cell;

function unitOf(page: Page): number {
  const heights = page.words.filter((word) => word.text.trim() !== '' && word.height > 0).map((word) => word.height);
  heights.sort((a, b) => a - b);
  return heights[Math.floor(heights.length / 2)] ?? 1;
}

/** Words in chains from left to right, each near to the one before on its row. */
function runsOf(words: readonly Placed[]): Placed[][] {
  const runs: Placed[][] = [];
  for (const word of words) {
    let best: Placed[] | undefined;
    for (const run of runs) {
      const last = run.at(-1)!;
      if (!follows(last, word)) continue;
      if (best === undefined || Math.abs(middle(last) - middle(word)) < Math.abs(middle(best.at(-1)!) - middle(word)))
        best = run;
    }
    if (best === undefined) runs.push([word]);
    else best.push(word);
  }
  return runs;
}

function follows(last: Placed, word: Placed): boolean {
  const gap = word.left - last.right;
  const height = Math.min(tall(last), tall(word));
  const widest = BELONGS.test(word.text) ? GAP * WIDER : GAP;
  const limit = widest * Math.max(0.6, Math.min(height, 0.6 + 0.4 * height));
  return gap < limit && gap > -0.8 && Math.abs(middle(last) - middle(word)) < 0.5 * Math.max(0.8, height);
}

/** The amounts and the texts of a run, cut at amounts and behind colons. */
function partsOf(run: readonly Placed[], page: number): (Cell | Figure)[] {
  const parts: (Cell | Figure)[] = [];
  let text: Placed[] = [];
  const flush = (): void => {
    const said = text.slice(
      Math.max(
        0,
        text.findIndex((word) => !/^[:;|]$/.test(word.text)),
      ),
    );
    if (said.some((word) => !/^[:;|]$/.test(word.text)))
      parts.push(...headingsApart(said).map((words) => cellOf(words, page)));
    text = [];
  };
  for (let at = 0; at < run.length;) {
    const found = moneyAt(run, at);
    if (found === null) {
      const word = run[at]!;
      text.push(word);
      if (word.text.endsWith(':') && !/^\W*$/.test(word.text)) flush();
      at += 1;
    } else {
      flush();
      const words = run.slice(at, at + found.count);
      parts.push({ ...cellOf(words, page), ...found.money });
      at += found.count;
    }
  }
  flush();
  return parts;
}

/** Headings of neighbouring columns that stand close together: `Amount Deductions`. */
function headingsApart(words: readonly Placed[]): (readonly Placed[])[] {
  const said = (part: readonly Placed[]): string => part.map((word) => word.text).join(' ');
  if (words.length < 2 || words.length > 6) return [words];
  const least = labelOf(said(words)) !== null ? 0.85 : headingOf(said(words)) !== null ? 0.65 : 0.45;
  for (let at = 1; at < words.length; at += 1) {
    const gap = words[at]!.left - words[at - 1]!.right;
    if (gap < least || headingOf(said(words.slice(0, at))) === null) continue;
    const rest = headingsApart(words.slice(at));
    const parts = [words.slice(0, at), ...rest];
    const headings = new Set([words, ...parts].map((part) => headingOf(said(part))));
    // `Year to date` says no more than `Year` and `To date`: wide spaces part no columns there.
    const isSame = headings.size === 1 && new Set(parts.map(said)).size === parts.length;
    if (!isSame && rest.every((part) => headingOf(said(part)) !== null)) return parts;
  }
  return [words];
}

function cellOf(words: readonly Placed[], page: number): Cell {
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

/**
 * Amounts whose pounds and pence stand in boxes of their own (`1234 | 56`): only where the page says so by `£` and `p` above its
 * columns, or prints hardly any amount in one piece.
 */
function poundsAndPence(parts: readonly Cell[], figures: readonly Figure[], page: number) {
  const headed = parts.some((part) => /^p$|^£\s*p$|pence/i.test(part.text));
  if (!headed && figures.filter((figure) => figure.exact).length >= 3) return [];
  const pairs: Pair[] = [];
  for (const part of parts) {
    const inOne = /^£?(\d{1,3}(?:,\d{3})+|\d{1,7})\s*[|¦]?\s+[|¦]?\s*(\d{2})$|^£?(\d{1,7})[|¦](\d{2})$/.exec(part.text);
    if (inOne !== null) {
      const pounds = wholeNumber((inOne[1] ?? inOne[3])!)!;
      pairs.push({
        figure: { ...part, pence: pounds * 100 + Number(inOne[2] ?? inOne[4]), exact: true },
        from: [part],
      });
      continue;
    }
    const pounds = isFigure(part)
      ? part.exact
        ? null
        : part.pence / 100
      : wholeNumber(part.text.replace(/^£\s*/, ''));
    if (pounds === null) continue;
    const pence = parts.find((other) => /^[|¦]?\s*\d{2}(-|CR)?$/.test(other.text) && isBeside(part, other));
    if (pence === undefined || parts.some((year) => /^(19|20)\d{2}$/.test(year.text) && isBeside(pence, year, 6)))
      continue;
    const value = (pounds * 100 + Number(pence.text.replace(/\D/g, ''))) * (/(-|CR)$/.test(pence.text) ? -1 : 1);
    pairs.push({
      figure: { ...cellOf([...part.words, ...pence.words], page), pence: value, exact: true },
      from: [part, pence],
    });
  }
  const whole = pairs.filter(
    (pair) => !pairs.some((other) => other !== pair && other.from.at(-1) === pair.from[0] && other.from.length > 1),
  );
  return [...whole, ...runTogether(parts, whole)];
}

interface Pair {
  figure: Figure;
  from: Cell[];
}

/** Pounds and pence that a picture's reader saw as one number, told by their end in a column of pence. */
function runTogether(parts: readonly Cell[], pairs: readonly Pair[]): Pair[] {
  const numbers = parts.filter((part) => part.source === 'ocr' && /^\d{3,7}$/.test(part.text));
  const pitches = numbers.map(pitchOf).sort((a, b) => a - b);
  const usual = pitches[pitches.length >> 1] ?? 0;
  return numbers
    .filter((part) => !pairs.some(({ from }) => from.includes(part)))
    .filter((part) => {
      const above = pairs.filter(({ figure }) => Math.abs(figure.right - part.right) < 0.4).length;
      return above >= 2 || (above === 1 && pitchOf(part) > WIDE_PITCH * usual);
    })
    .map((part) => ({ figure: { ...part, pence: Number(part.text), exact: true }, from: [part] }));
}

/** How much wider a figure's share of a number is where there is a line or a gap in it. */
const WIDE_PITCH = 1.2;
const pitchOf = (number: Cell): number => wide(number) / tall(number) / number.text.length;

function isBeside(pounds: Box, pence: Box, widest = 3): boolean {
  const gap = pence.left - pounds.right;
  return gap > 0 && gap < widest && Math.abs(middle(pounds) - middle(pence)) < 0.5;
}
