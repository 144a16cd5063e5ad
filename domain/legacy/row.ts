import { isFigure, type Figure, type Sheet } from './cells.ts';
import { sameRow, type Box } from './geometry.ts';
import { isDates } from './printed-dates.ts';

/** Whether a text stands between the two on their row; the dates of a line do not count. */
export function textBetween(sheet: Sheet, from: Box, to: Box): boolean {
  return sheet.cells.some(
    (cell) =>
      cell.left > from.right - 0.2 &&
      cell.right < to.left + 0.2 &&
      sameRow(cell, to) &&
      // A lone E, F or f before an amount was a pound sign.
      /[a-z]{2}|^[a-z]$/i.test(cell.text.replace(/(?<=\b[a-z])\.(?=[a-z]\b)/gi, '')) &&
      !/^[EFf]$/.test(cell.text) &&
      !isDates(cell.text),
  );
}

/** The amounts on the row of a cell, to its right, in order. */
export function figuresRight(sheet: Sheet, cell: Box): Figure[] {
  return sheet.all
    .filter(isFigure)
    .filter((figure) => figure.left > cell.right - 0.3 && sameRow(figure, cell))
    .sort((a, b) => a.left - b.left);
}
