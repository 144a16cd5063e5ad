import { cellOf, isFigure, type Cell, type Figure } from './cell.ts';
import { inReadingOrder, middle, placed, tall, unitOf, type Placed } from './geometry.ts';
import { moneyAt } from './money-words.ts';
import type { Page } from './page.ts';
import { poundsAndPence } from './pounds-pence.ts';
import { straightened } from './straighten.ts';

export { isFigure, type Cell, type Figure } from './cell.ts';

/** Lengths are multiples of the page's median word height. */
export interface Sheet {
  page: number;
  cells: readonly Cell[];
  figures: readonly Figure[];
  all: readonly (Cell | Figure)[];
  width: number;
  height: number;
}

/** The widest gap between words of one cell, in word heights. */
const GAP = 1.15;
/** Such text (`(EES)` or `Ltd`) belongs to the words before, even after a wide space. */
export const BELONGS = /^(\([a-z]+\)|ltd|limited|plc|llp)[.,]?$/i;
const WIDER = 1.5;

export function sheetOf(page: Page): Sheet {
  const words = straightened(placed(page));
  const unit = unitOf(page);
  const runs = runsOf(words);
  const parts = runs.flatMap(partsOf);
  const figures = withDashes(parts, parts.filter(isFigure));
  const pairs = poundsAndPence(parts, figures);
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

/** A dash in a column of amounts means zero. */
function withDashes(parts: readonly Cell[], figures: readonly Figure[]): Figure[] {
  const dashes = parts.filter(
    (part) =>
      /^[-–—]$/.test(part.text) && figures.filter((figure) => Math.abs(figure.right - part.right) < 0.7).length >= 2,
  );
  return [...figures, ...dashes.map((part) => ({ ...part, pence: 0, exact: true }))];
}

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

function partsOf(run: readonly Placed[]): (Cell | Figure)[] {
  const parts: (Cell | Figure)[] = [];
  let text: Placed[] = [];
  const flush = (): void => {
    const first = text.findIndex((word) => !/^[:;|]$/.test(word.text));
    if (first !== -1) parts.push(cellOf(text.slice(first)));
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
      parts.push({ ...cellOf(words), ...found.money });
      at += found.count;
    }
  }
  flush();
  return parts;
}
