import { isFigure, type Cell, type Figure, type Sheet } from './cells.ts';
import type { Over } from './columns.ts';
import { overlapAcross, sameRow } from './geometry.ts';
import { headingOf, labelOf, type Heading } from './labels.ts';
import { figuresRight, textBetween } from './row.ts';

/**
 * Finds a title such as `Year to date` at the left of a row of captions. The row must have no other title, and the
 * amounts directly below.
 */
export function captionsTitle(sheet: Sheet, label: Cell, figure: Figure): Over | null {
  if (figure.top - label.bottom > 2.5) return null;
  if (sheet.figures.some((other) => sameRow(other, label) && other.left < label.right)) return null;
  const row = sheet.cells.filter((cell) => sameRow(cell, label));
  const titles = row.filter((cell) => isTime(headingOf(cell.text)));
  const [title, ...more] = titles;
  if (title === undefined || more.length > 0 || title.right > label.left + 0.2) return null;
  if (row.filter((cell) => cell.left > title.right).length < 3) return null;
  return { heading: headingOf(title.text)!, firm: true, bottom: label.top };
}

const isTime = (heading: Heading | null): boolean => heading === 'ytd' || heading === 'now' || heading === 'other';

/** Finds the period that an amount's row names: `£452.84 year to date`, `Year to date 452.84`. */
export function rowHeading(sheet: Sheet, label: Cell, figure: Figure): Over | null {
  const behind = sheet.cells.find((cell) => isBehind(cell, figure) && isTime(headingOf(cell.text)));
  if (behind !== undefined) return { heading: headingOf(behind.text)!, firm: true, bottom: figure.top };
  if (sameRow(label, figure)) return lineTitle(sheet, label, figure);
  const before = sheet.cells.filter(
    (cell) => cell.right < figure.left + 0.2 && sameRow(cell, figure) && !textBetween(sheet, cell, figure),
  );
  const heading = before.map((cell) => headingOf(cell.text)).find((one) => one === 'ytd' || one === 'now');
  return heading === undefined ? null : { heading, firm: true, bottom: figure.top };
}

/**
 * Whether a text describes the amount directly before it, as in `£452.84 year to date`. Such a text is not a heading.
 */
export const isSaidOfAmount = (sheet: Sheet, cell: Cell): boolean =>
  isTime(headingOf(cell.text)) && sheet.figures.some((figure) => isBehind(cell, figure));

/** The widest space between an amount and the text that describes it, in word heights. */
const SPACE = 1;
const isBehind = (cell: Cell, figure: Figure): boolean =>
  cell.left > figure.right - 0.3 && cell.left - figure.right < SPACE && sameRow(cell, figure);

/** Finds `Year to date` before several labels on one line, each followed by its amount. */
function lineTitle(sheet: Sheet, label: Cell, figure: Figure): Over | null {
  const row = sheet.all
    .filter((cell) => sameRow(cell, label) && cell.left < figure.right)
    .toSorted((a, b) => a.left - b.left);
  const at = row.findLastIndex((cell) => !isFigure(cell) && isTime(headingOf(cell.text)));
  const [title, next] = [row[at], row[at + 1]];
  if (title === undefined || next === undefined || next.left - title.right > 3 || labelOf(next.text) === null)
    return null;
  const labels = sheet.cells.filter(
    (cell) => cell.left > title.right && sameRow(cell, title) && labelOf(cell.text) !== null,
  );
  const pairs = labels.filter((cell) => figuresRight(sheet, cell).some((one) => one.left - cell.right < 3));
  const heads = sheet.figures.some(
    (one) => one.top > title.bottom - 0.3 && one.top - title.bottom < 2.5 && overlapAcross(one, title) > 0.2,
  );
  if (pairs.length < 2 || heads) return null;
  return { heading: headingOf(title.text)!, firm: true, bottom: label.top };
}
