import type { MacKind } from '../domain/frozen-strings.ts';
import type { Services } from '../infra/services.ts';

export type Reports = Pick<Services, 'metrics' | 'log'>;

/** Raises the alert about a row whose MAC does not fit. Show nobody what the row says, and do nothing that it says. */
export function reportTampering({ metrics, log }: Reports, what: MacKind, id: string): void {
  metrics.tampering.inc({ what });
  log.error({ what, id }, 'something other than the service changed a row');
}

/** A page of rows: those after the row `after`, or the first. */
export interface Scan {
  after?: string | undefined;
  limit: number;
}

export interface Scanned {
  checked: number;
  /** Null after the last page. */
  next: string | null;
  faults: { what: MacKind; id: string }[];
}

interface Checks<Row> {
  what: MacKind;
  idOf: (row: Row) => string;
  fits: (row: Row) => Promise<boolean>;
}

/** The rows of a page that something other than the service wrote. */
export async function foundTampering<Row>(
  rows: readonly Row[],
  limit: number,
  { what, idOf, fits }: Checks<Row>,
): Promise<Scanned> {
  const faults: Scanned['faults'] = [];
  for (const row of rows) if (!(await fits(row))) faults.push({ what, id: idOf(row) });
  const last = rows.at(-1);
  return { checked: rows.length, next: last === undefined || rows.length < limit ? null : idOf(last), faults };
}
