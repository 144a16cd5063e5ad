import type { Cell, Sheet } from './cells.ts';
import { around, middle, overlapAcross, sameRow } from './geometry.ts';
import { canonical } from './spelling.ts';

/** A value beside or below a label. */
export interface Labelled<T> {
  value: T;
  /** The text in which the value was found. */
  text: string;
  label: string;
  cells: readonly Cell[];
}

/** Parses a text as a value; null if the text is not a value. */
export type Accept<T> = (text: string, label: string) => T | null;

/**
 * Finds the values of a label: in the same cell after the label, then to its right on the same row, then below it. With
 * `beside`, a value must be in a single cell beside the label.
 */
export function labelled<T>(
  sheet: Sheet,
  label: RegExp,
  accept: Accept<T>,
  where: 'anywhere' | 'beside' = 'anywhere',
): Labelled<T>[] {
  return sheet.cells.flatMap((cell) => {
    const found =
      (where === 'beside' ? null : inside(cell, label, accept)) ??
      (label.test(canonical(cell.text)) ? beside(sheet, cell, accept, where === 'beside' ? 1 : 6) : null);
    return found === null ? [] : [found];
  });
}

function inside<T>(cell: Cell, label: RegExp, accept: Accept<T>): Labelled<T> | null {
  for (let count = Math.min(6, cell.words.length - 1); count >= 1; count -= 1) {
    const name = cell.words
      .slice(0, count)
      .map((word) => word.text)
      .join(' ');
    if (!label.test(canonical(name))) continue;
    const text = cell.words
      .slice(count)
      .map((word) => word.text)
      .join(' ')
      .replace(/^[:\-–.]\s*/, '');
    const value = accept(text, name);
    if (value !== null) return { value, text, label: name, cells: [cell] };
  }
  return null;
}

function beside<T>(sheet: Sheet, label: Cell, accept: Accept<T>, mostCells: number): Labelled<T> | null {
  const right = sheet.all.filter(
    (cell) => cell.left > label.right - 0.3 && cell.left - label.right < 60 && sameRow(cell, label),
  );
  right.sort((a, b) => a.left - b.left);
  const below = sheet.all
    .filter((cell) => middle(cell) > label.bottom && cell.top - label.bottom < 3 && overlapAcross(cell, label) > 0.3)
    .sort((a, b) => a.top - b.top || a.left - b.left);
  const second = below.find((cell) => !sameRow(cell, below[0]!));
  const rows = [
    right,
    ...[below[0], second].map((first) => below.filter((cell) => first !== undefined && sameRow(cell, first))),
  ];
  for (const unordered of rows) {
    const row = unordered.toSorted((a, b) => a.left - b.left);
    // A value may be printed in several boxes: `AB | 12 | 34 | 56 | C`.
    for (let count = Math.min(mostCells, row.length); count >= 1; count -= 1) {
      const cells = row.slice(0, count);
      const text = cells.map((cell) => cell.text).join(' ');
      const value = accept(text, label.text);
      if (
        value !== null &&
        (count === 1 || cells.every((cell, at) => at === 0 || cell.left - cells[at - 1]!.right < 4))
      )
        return { value, text, label: label.text, cells };
    }
  }
  return null;
}

/** Each row of the page as one text, with its cells. */
export function rowsOf(sheet: Sheet): { text: string; cells: Cell[] }[] {
  const rows: Cell[][] = [];
  for (const cell of sheet.all) {
    const row = rows.find((other) => sameRow(around(other), cell, 0.5));
    if (row === undefined) rows.push([cell]);
    else row.push(cell);
  }
  return rows.map((cells) => {
    cells.sort((a, b) => a.left - b.left);
    return { text: cells.map((cell) => cell.text).join(' '), cells };
  });
}
