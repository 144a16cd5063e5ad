import type { Cell, Figure, Sheet } from './cells.ts';
import { around, sameRow } from './geometry.ts';
import { grouped } from './grouped.ts';

interface Row {
  text: string;
  cells: (Cell | Figure)[];
}

export function rowsOf(sheet: Sheet): Row[] {
  return grouped(sheet.all, (row, cell) => sameRow(around(row), cell, 0.5)).map((cells) => {
    cells.sort((a, b) => a.left - b.left);
    return { text: cells.map((cell) => cell.text).join(' '), cells };
  });
}
