import { median } from './statistics.ts';

/** Values that were not measured are undefined. */
export interface Row {
  what: string;
  perSecond?: number;
  p50Ms?: number;
  p95Ms?: number;
  p99Ms?: number;
  /** Other results, with their units, such as MB or events. */
  value?: string;
  /** The speed of this row divided by that of the row `against`. */
  ratio?: number;
  against?: string;
  target?: string;
  met?: boolean;
}

export type Figures = Required<Pick<Row, 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms'>>;

export function told({ perSecond, p50Ms, p95Ms, p99Ms }: Figures): Figures {
  return { perSecond, p50Ms, p95Ms, p99Ms };
}

export function middle(loads: readonly Figures[]): Figures {
  const of = (figure: keyof Figures) => median(loads.map((load) => load[figure]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p95Ms: of('p95Ms'), p99Ms: of('p99Ms') };
}

export interface Part {
  name: string;
  setting: string;
  rows: Row[];
  notes?: string[];
}

export function asTables(parts: readonly Part[]): string {
  return parts
    .map(({ name, setting, rows, notes }) => [`${name}: ${setting}`, table(rows), ...(notes ? [notes.join('\n')] : [])])
    .map((blocks) => blocks.join('\n\n'))
    .join('\n\n');
}

const HEAD = ['', 'per s', 'p50 ms', 'p95 ms', 'p99 ms', '', 'ratio', 'target', ''];

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    number(row.perSecond, row.perSecond !== undefined && row.perSecond < 100 ? 1 : 0),
    number(row.p50Ms, 1),
    number(row.p95Ms, 1),
    number(row.p99Ms, 1),
    row.value ?? '',
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)} of ${row.against ?? ''}`,
    row.target ?? '',
    row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
  ]);
  const lines = [HEAD, ...cells];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const isNumber = (column: number) => column >= 1 && column <= 4;
  return lines
    .map((line) =>
      line
        .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function number(value: number | undefined, decimals: number): string {
  return value === undefined ? '' : value.toFixed(decimals);
}

export function progress(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
