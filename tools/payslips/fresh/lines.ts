import type { Line, Pay } from '../figures.ts';

/** Splits a line of hours into lines with the same total. Leaves a line without hours whole. */
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

export function percentOfGross(pay: Pay, amount: number): string {
  return `${((amount * 100) / pay.gross).toFixed(1).replace(/\.0$/, '')}%`;
}

/** The totals for this period, and for the year to date. */
export function sumOf(lines: readonly Line[]): [number, number] {
  return lines.reduce(([now, total], { amount, ytd }) => [now + amount, total + ytd], [0, 0]);
}
