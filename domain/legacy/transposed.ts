import type { Cell, Figure, Sheet } from './cells.ts';
import { overlapAcross, sameRow, type Box } from './geometry.ts';
import { headingOf, type Heading } from './labels.ts';
import { headingAt } from './period-columns.ts';
import { figuresRight } from './row.ts';

/** A table with a column for each element of pay, and rows for units, rate, amount and year to date. */
export interface Transposed {
  /** The titles of the rows, from top to bottom. */
  titles: readonly Cell[];
  /** The amounts of the period, from left to right. */
  amounts: readonly Figure[];
  /** The year-to-date amounts, from left to right. */
  years: readonly Figure[];
}

const ROWS: readonly Heading[] = ['measure', 'amount', 'now', 'ytd', 'other'];
const FEWEST = 3;
/** The tallest empty space between two row titles, and between captions and the first title, in word heights. */
const APART = 5;

/** Finds tables whose row titles are words that usually head columns, such as `Rate` and `Amount`. */
export function transposedTables(sheet: Sheet): Transposed[] {
  return columnsOfTitles(sheet).flatMap((titles) => {
    const rows = titles.map((title) => ({ heading: headingAt(sheet, title)!, figures: figuresRight(sheet, title) }));
    const amounts = rows.filter(({ heading }) => heading === 'amount' || heading === 'now');
    const years = rows.find(({ heading }) => heading === 'ytd');
    const [only] = amounts;
    if (only === undefined || amounts.length > 1 || only.figures.length < FEWEST) return [];
    return [{ titles, amounts: only.figures, years: years?.figures ?? [] }];
  });
}

/** Finds two or more row titles that stand below each other, aligned at one edge. */
function columnsOfTitles(sheet: Sheet): Cell[][] {
  const columns: Cell[][] = [];
  for (const cell of sheet.cells) {
    const heading = headingAt(sheet, cell);
    if (heading === null || !ROWS.includes(heading) || !beginsRow(sheet, cell)) continue;
    const column = columns.find((other) => {
      const last = other.at(-1)!;
      return Math.abs(last.left - cell.left) < 0.8 && cell.top > last.bottom - 0.3 && cell.top - last.bottom < APART;
    });
    if (column === undefined) columns.push([cell]);
    else column.push(cell);
  }
  return columns.filter((column) => column.length > 1);
}

/** Whether the rest of a title's row contains only amounts. */
const beginsRow = (sheet: Sheet, title: Cell): boolean =>
  !sheet.cells.some(
    (other) =>
      other !== title && sameRow(other, title) && (/[a-z]{2}/i.test(other.text) || headingOf(other.text) !== null),
  );

/**
 * Returns the amount of the period and the year-to-date amount below a caption, if the caption heads a column of one of
 * the tables.
 */
export function inTable(tables: readonly Transposed[], caption: Box): Figure[] {
  const table = tables.find(({ titles: [first] }) => {
    const gap = first!.top - caption.bottom;
    return gap > -0.4 && gap < APART && caption.left > first!.right;
  });
  if (table === undefined) return [];
  return [table.amounts, table.years].flatMap((row) => {
    const under = row.filter((figure) => overlapAcross(figure, caption) > 0.3);
    return under.length === 1 ? under : [];
  });
}
