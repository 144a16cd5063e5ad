import type { MacKind } from '../domain/frozen-strings.ts';
import type { MacFields } from '../infra/keys/macs.ts';
import type { Services } from '../infra/services.ts';

/** The columns of the MAC. */
export interface Maced {
  mac: string;
  mac_version: number;
}

/** What the MAC of a row protects, so that only the service itself can write such a row. */
export interface MacedKind<Row> {
  what: MacKind;
  idOf: (row: Row) => string;
  fieldsOf: (row: Row) => MacFields;
}

type Keys = Pick<Services['keys'], 'mac' | 'verifyMac'>;

/** To tell which rows the service itself wrote, and to raise the alert about the others. */
export type Authentic = { keys: Keys } & Pick<Services, 'metrics' | 'log'>;

export async function macColumns<Row>(keys: Keys, { what, fieldsOf }: MacedKind<Row>, row: Row): Promise<Maced> {
  const { mac, version: mac_version } = await keys.mac(what, fieldsOf(row));
  return { mac, mac_version };
}

/** Pass the same `readAt` for all rows that were read together: each unknown version can else take a second. */
export function fits<Row>(
  keys: Keys,
  { what, fieldsOf }: MacedKind<Row>,
  row: Row & Maced,
  readAt = performance.now(),
): Promise<boolean> {
  return keys.verifyMac(what, fieldsOf(row), { mac: row.mac, version: row.mac_version }, readAt);
}

/** If not, something other than the service wrote the row: show nobody what it says, and do nothing that it says. */
export async function isGenuine<Row>(
  services: Authentic,
  kind: MacedKind<Row>,
  row: Row & Maced,
  readAt?: number,
): Promise<boolean> {
  if (await fits(services.keys, kind, row, readAt)) return true;
  reportTampering(services, kind.what, kind.idOf(row));
  return false;
}

export function reportTampering({ metrics, log }: Omit<Authentic, 'keys'>, what: MacKind, id: string): void {
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

/** A row without a MAC needs none. */
export async function scanned<Row>(
  keys: Keys,
  kind: MacedKind<Row>,
  rows: readonly (Row & { [Column in keyof Maced]: Maced[Column] | null })[],
  { limit }: Scan,
): Promise<Scanned> {
  const maced = rows.filter((row): row is (typeof rows)[number] & Maced => row.mac !== null);
  const faults: Scanned['faults'] = [];
  const readAt = performance.now();
  for (const row of maced)
    if (!(await fits(keys, kind, row, readAt))) faults.push({ what: kind.what, id: kind.idOf(row) });
  const last = rows.at(-1);
  const next = last === undefined || rows.length < limit ? null : kind.idOf(last);
  return { checked: maced.length, next, faults };
}
