import type { Cell, Figure, Sheet } from './cells.ts';
import { around, sameRow } from './geometry.ts';

interface Row {
  text: string;
  cells: (Cell | Figure)[];
}

export function rowsOf(sheet: Sheet): Row[] {
  const rows: (Cell | Figure)[][] = [];
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
