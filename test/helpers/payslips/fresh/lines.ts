import type { Line, Pay } from '../figures.ts';

/** Splits a line of hours into several lines with the same total. A line without hours is not split. */
export function inParts(line: Line, count: number): Line[] {
  if (line.units === undefined || line.rate === undefined) return [line];
  const { rate, ytd } = line;
  const units = Math.floor((line.units / count) * 4) / 4;
  const amount = Math.round(units * rate);
  const parts: Line[] = Array.from({ length: count - 1 }, () => ({
    ...line,
    units,
    amount,
    ytd: Math.round(ytd / count),
  }));
  const left = (of: (part: Line) => number, whole: number) => parts.reduce((rest, part) => rest - of(part), whole);
  return [
    ...parts,
    { ...line, units: left((part) => part.units!, line.units), amount: left((part) => part.amount, line.amount), ytd: left((part) => part.ytd, ytd) },
  ]; // prettier-ignore
}

/** Formats an amount as a percentage of gross pay, such as "6.1%". */
export function percentOfGross(pay: Pay, amount: number): string {
  return `${((amount * 100) / pay.gross).toFixed(1).replace(/\.0$/, '')}%`;
}

/** Returns the totals of some lines: for this period, and for the year to date. */
export function sumOf(lines: readonly Line[]): [number, number] {
  return lines.reduce(([now, total], { amount, ytd }) => [now + amount, total + ytd], [0, 0]);
}
