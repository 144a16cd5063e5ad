import type { Pay } from './figures.ts';
import { spaced } from './names.ts';
import type { Sheet, TextStyle } from './sheet.ts';
import { frequencyWord, periodWord } from './words.ts';

/** Draws a box with a small label at its top and a value below the label. */
export function cell(
  sheet: Sheet,
  [x, y, width, height]: readonly [number, number, number, number],
  label: string,
  value: string,
  {
    label: labelled = {},
    value: valued = {},
    border = '#000000',
  }: { label?: TextStyle; value?: TextStyle; border?: string } = {},
): void {
  sheet.box(x, y, width, height, { stroke: border });
  sheet.text(x + 3, y + (labelled.size ?? 6) + 2, label, { size: 6, ...labelled });
  const at = valued.align === 'right' ? x + width - 4 : valued.align === 'center' ? x + width / 2 : x + 4;
  sheet.text(at, y + height - 4, value, valued);
}

export interface Column {
  x: number;
  align?: 'left' | 'right' | 'center';
}

export function row(
  sheet: Sheet,
  y: number,
  columns: readonly Column[],
  cells: readonly string[],
  style: TextStyle = {},
): void {
  cells.forEach((text, n) => {
    const column = columns[n]!;
    if (text !== '') sheet.text(column.x, y, text, { ...style, ...(column.align && { align: column.align }) });
  });
}

/** The correct ways to write the tax period, such as its number alone. */
export function periodNames(pay: Pay): string[] {
  const { period } = pay;
  const word = periodWord(pay);
  return [`${period}`, `${word} ${period}`, `Tax ${word} ${period}`, `Period ${period}`, `Tax Period ${period}`, `${frequencyWord(pay.frequency)} ${period}`]; // prettier-ignore
}

export function niNumber(pay: Pay, apart: boolean): string {
  return apart ? spaced(pay.employee.niNumber) : pay.employee.niNumber;
}
