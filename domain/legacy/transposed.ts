import type { Cell, Figure, Sheet } from './cells.ts';
import { overlapAcross, sameRow, type Box } from './geometry.ts';
import { headingOf, type Heading } from './labels.ts';
import { headingAt } from './period-columns.ts';
import { figuresRight } from './row.ts';

/** A table with an element of pay in each column, and units, rate, amount and year to date as its rows. */
export interface Transposed {
  /** The titles of its rows, top to bottom. */
  titles: readonly Cell[];
  /** The figures of the period, left to right. */
  amounts: readonly Figure[];
  /** The figures of the year, left to right. */
  years: readonly Figure[];
}

const ROWS: readonly Heading[] = ['measure', 'amount', 'now', 'ytd', 'other'];
const FEWEST = 3;
/** The tallest empty space between two titles of rows, and between captions and the first title. */
const APART = 5;

/** The tables of a page whose row titles are otherwise column headings. */
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

/** Two or more row titles, one below the other and aligned at one edge. */
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

/** Whether the rest of a title's row contains only figures. */
const beginsRow = (sheet: Sheet, title: Cell): boolean =>
  !sheet.cells.some(
    (other) =>
      other !== title && sameRow(other, title) && (/[a-z]{2}/i.test(other.text) || headingOf(other.text) !== null),
  );

/** The figures of the period and of the year in the column of a caption above such a table. */
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
