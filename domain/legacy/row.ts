import { isFigure, type Figure, type Sheet } from './cells.ts';
import { sameRow, type Box } from './geometry.ts';
import { isDates } from './printed-dates.ts';

/** Whether a text other than a date stands between two boxes on their row. */
export function textBetween(sheet: Sheet, from: Box, to: Box): boolean {
  return sheet.cells.some(
    (cell) =>
      cell.left > from.right - 0.2 &&
      cell.right < to.left + 0.2 &&
      sameRow(cell, to) &&
      // OCR may read a pound sign as a lone E, F or f before an amount.
      /[a-z]{2}|^[a-z]$/i.test(cell.text.replace(/(?<=\b[a-z])\.(?=[a-z]\b)/gi, '')) &&
      !/^[EFf]$/.test(cell.text) &&
      !isDates(cell.text),
  );
}

/** Returns the amounts to the right of a cell on its row, in order. */
export function figuresRight(sheet: Sheet, cell: Box): Figure[] {
  return sheet.all
    .filter(isFigure)
    .filter((figure) => figure.left > cell.right - 0.3 && sameRow(figure, cell))
    .sort((a, b) => a.left - b.left);
}
