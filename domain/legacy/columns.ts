import { isFigure, type Cell, type Figure, type Sheet } from './cells.ts';
import { around, centre, middle, overlapAcross, sameRow, wide, type Box } from './geometry.ts';
import { labelOf, type Heading } from './labels.ts';
import { headingAt } from './period-columns.ts';
import { captionsTitle, isSaidOfAmount, rowHeading } from './row-titles.ts';
import { textBetween } from './row.ts';
import { canonical, isPayrollWord } from './spelling.ts';

/** A heading with its position on the page. */
export interface Headed {
  heading: Heading;
  cell: Cell;
}

/** A heading that stands above an amount or a label. */
export interface Over {
  heading: Heading;
  /** Whether the heading stands directly above, without a gap. Otherwise it may be the heading of something else. */
  firm: boolean;
  bottom: number;
}

/** The heading above an amount's column, and the heading above the block of the amount's label. */
export interface Role {
  column: Over | null;
  block: Over | null;
}

/** The tallest gap in a column that its heading still covers, in word heights. */
const FIRM_GAP = 3.6;
const WIDEST_GAP = 12;

export function headingsOf(sheet: Sheet): Headed[] {
  return sheet.cells.flatMap((cell) => {
    const heading = headingAt(sheet, cell);
    // A label with an amount on its row is not a heading. But "Deductions 450.00" below a column is the column's total.
    return heading === null ||
      standsBeforeFigure(sheet, cell, heading) ||
      namesEmployer(sheet, cell) ||
      isSaidOfAmount(sheet, cell)
      ? []
      : [{ heading, cell }];
  });
}

function standsBeforeFigure(sheet: Sheet, cell: Cell, heading: Heading): boolean {
  if (heading === 'measure') return false;
  return sheet.figures.some(
    (figure) =>
      sameRow(figure, cell) &&
      figure.left > cell.right - 0.2 &&
      figure.left - cell.right < 25 &&
      !textBetween(sheet, cell, figure),
  );
}

/**
 * Whether the employer's name stands beside the word "Employer". Then the word is not the heading of the employer's
 * contributions.
 */
function namesEmployer(sheet: Sheet, cell: Cell): boolean {
  if (canonical(cell.text) !== 'er') return false;
  const beside = sheet.all
    .filter((other) => other.left > cell.right - 0.2 && sameRow(other, cell))
    .toSorted((a, b) => a.left - b.left)[0];
  return (
    beside !== undefined &&
    !isFigure(beside) &&
    /[a-z]{2}.*[a-z]/i.test(beside.text) &&
    headingAt(sheet, beside) === null &&
    labelOf(beside.text) === null &&
    !canonical(beside.text).split(' ').every(isPayrollWord)
  );
}

/** Finds the headings above an amount and above its label. */
export function roleOf(sheet: Sheet, headings: readonly Headed[], label: Cell, figure: Figure): Role {
  const above = middle(label) < figure.top;
  // A caption directly above the amount says what the amount is. The name of a base, such as taxable pay, above that
  // caption does not.
  const columns = above
    ? headings.filter(({ heading, cell }) => heading !== 'base' || middle(cell) > middle(label))
    : headings;
  const blocks = headings.filter(({ heading }) => heading !== 'base' && heading !== 'measure' && heading !== 'amount');
  const column = rowHeading(sheet, label, figure) ?? nearestAbove(sheet, columns, figure);
  return {
    column,
    block:
      (above ? captionsTitle(sheet, label, figure) : null) ??
      (column === null && sameRow(label, figure) ? centredAbove(sheet, blocks, label, figure) : null) ??
      lower(nearestAbove(sheet, blocks, label), titleAbove(sheet, blocks, label, above)),
  };
}

/** Finds a heading centred above a block whose labels are at the left edge and whose amounts are at the right edge. */
function centredAbove(sheet: Sheet, headings: readonly Headed[], label: Cell, figure: Figure): Over | null {
  const pair = around([label, figure]);
  const centred = headings.filter(
    ({ cell }) =>
      Math.abs(centre(cell) - centre(pair)) < 0.08 * wide(pair) &&
      !sheet.all.some((other) => other !== cell && sameRow(other, cell) && overlapAcross(other, pair) > 0.15),
  );
  return nearestAbove(sheet, centred, pair);
}

/** Returns the lower of two headings, which is nearer to what stands below both. */
const lower = (a: Over | null, b: Over | null): Over | null =>
  a === null || (b !== null && b.bottom > a.bottom + 0.5) ? b : a;

/** Finds the nearest heading above a box in the same column. */
function nearestAbove(sheet: Sheet, headings: readonly Headed[], box: Box): Over | null {
  let best: Headed | null = null;
  for (const headed of headings) {
    const { cell } = headed;
    if (cell.bottom > box.top + 0.4 || middle(cell) >= middle(box) - 0.5) continue;
    if (overlapAcross(cell, box) < 0.15) continue;
    const same = best !== null && sameRow(cell, best.cell);
    if (best === null || (same ? nearer(cell, best.cell, box) : cell.bottom > best.cell.bottom)) best = headed;
  }
  if (best === null) return null;
  const gap = widestGap(sheet, best.cell, box);
  return gap > WIDEST_GAP ? null : { heading: best.heading, firm: gap <= FIRM_GAP, bottom: best.cell.bottom };
}

const nearer = (a: Box, b: Box, box: Box): boolean =>
  Math.min(Math.abs(a.right - box.right), Math.abs(a.left - box.left)) <
  Math.min(Math.abs(b.right - box.right), Math.abs(b.left - box.left));

/** The tallest empty space in the column between a heading and a box below it. */
function widestGap(sheet: Sheet, heading: Box, box: Box): number {
  const between = sheet.all
    .filter((cell) => cell.top >= heading.top - 0.2 && cell.bottom <= box.bottom + 0.2)
    .filter((cell) => overlapAcross(cell, box) > 0 || overlapAcross(cell, heading) > 0)
    .sort((a, b) => a.top - b.top);
  let end = heading.bottom;
  let widest = 0;
  for (const cell of between) {
    widest = Math.max(widest, cell.top - end);
    end = Math.max(end, cell.bottom);
  }
  return Math.max(widest, box.top - end);
}

/**
 * Finds the title of a block: it stands to the upper left, alone on its row, such as "Year to Date (Month 6)". For
 * captions with their amounts below, the title counts as certain if the captions begin directly below it.
 */
function titleAbove(sheet: Sheet, headings: readonly Headed[], box: Box, caption: boolean): Over | null {
  let best: Headed | null = null;
  for (const headed of headings) {
    const { cell } = headed;
    if (cell.left > box.left || middle(cell) >= middle(box) - 0.5 || box.top - cell.bottom > 14) continue;
    if (best !== null && cell.bottom <= best.cell.bottom) continue;
    if (
      sheet.all.some(
        (other) => other !== cell && sameRow(other, cell) && other.left > cell.right && other.left < box.right + 0.5,
      )
    )
      continue;
    best = headed;
  }
  if (best === null) return null;
  const { cell, heading } = best;
  const rows = sheet.all
    .filter(
      (other) =>
        other.top >= cell.top - 0.2 &&
        other.bottom <= box.bottom + 0.2 &&
        other.left < box.right &&
        other.right > cell.left,
    )
    .sort((a, b) => a.top - b.top);
  let end = cell.bottom;
  for (const other of rows) {
    if (other.top - end > 2.2) return null;
    end = Math.max(end, other.bottom);
  }
  const row = sheet.all.filter((other) => sameRow(other, box));
  const begins = row.some((other) => !isFigure(other) && other.left - cell.left > -1.5 && other.left - cell.left < 6);
  const strip = caption && begins && row.filter((other) => !isFigure(other)).length >= 3;
  return { heading, firm: strip && box.top - cell.bottom < 2.5, bottom: cell.bottom };
}
