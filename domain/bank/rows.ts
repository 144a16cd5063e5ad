import type { CalendarDate } from '../dates.ts';

/** A booked transaction as a bank reports it. Equal fingerprints mean the same account, day, amount and texts. */
export interface ReadRow {
  stableHash: string | null;
  fingerprint: string;
  amount: number;
  bookedOn: CalendarDate;
}

/** `ordinal` numbers the stored rows with the same fingerprint. */
export interface StoredRow extends ReadRow {
  transactionId: string;
  bankId: string;
  ordinal: number;
}

export interface Reconciled<Row> {
  insert: { row: Row; ordinal: number }[];
  /** Stored rows that get the identity by which this bank reports them. */
  gain: (Pick<StoredRow, 'transactionId' | 'stableHash' | 'fingerprint' | 'ordinal'> & { row: Row })[];
  /** Rows whose stable id is known with another amount or day. */
  refused: number;
}

interface Reading<Row> {
  /** All stored rows of the account on the days of the read, and those with a stable id of the read. */
  stored: readonly StoredRow[];
  incoming: readonly Row[];
  bankId: string;
}

/**
 * What a read changes in an account's stored rows. Neither the order of the rows nor that of the pages matters, and the same
 * read again changes nothing.
 */
export function reconcile<Row extends ReadRow>({ stored, incoming, bankId }: Reading<Row>): Reconciled<Row> {
  const { withId, withoutId, refused: contradictory } = distinct(incoming, storedById(stored, bankId));
  const own = unclaimed(stored.filter((row) => row.bankId === bankId));
  const others = unclaimed(stored.filter((row) => row.bankId !== bankId));
  const byId = storedById(stored, bankId);
  let refused = contradictory;
  const unknown: Row[] = [];
  for (const row of withId) {
    const known = byId.get(row.stableHash!);
    if (!known) unknown.push(row);
    else {
      own.claim(known);
      if (!isSame(known, row)) refused += 1;
    }
  }
  const result: Reconciled<Row> = { insert: [], gain: [], refused };
  const next = ordinals(stored);
  const gain = ({ transactionId, ...found }: StoredRow, row: Row) => {
    const { stableHash, fingerprint } = row;
    const ordinal = found.fingerprint === fingerprint ? found.ordinal : next(fingerprint);
    result.gain.push({ transactionId, stableHash, fingerprint, ordinal, row });
  };
  const fromElsewhere: Row[] = [];
  for (const row of unknown) {
    const found = own.take(byFingerprint(row), ({ stableHash }) => stableHash === null);
    if (found) gain(found, row);
    else fromElsewhere.push(row);
  }
  for (const row of withoutId) {
    if (!own.take(byFingerprint(row))) fromElsewhere.push(row);
  }
  const left: Row[] = [];
  for (const row of fromElsewhere) {
    const found = others.take(byFingerprint(row));
    if (found) gain(found, row);
    else left.push(row);
  }
  for (const row of left) {
    const found = others.take(byDayAndAmount(row));
    if (found) gain(found, row);
    else result.insert.push({ row, ordinal: next(row.fingerprint) });
  }
  return result;
}

function storedById(stored: readonly StoredRow[], bankId: string): Map<string, StoredRow> {
  const rows = stored.filter((row) => row.bankId === bankId && row.stableHash !== null);
  return new Map(rows.map((row) => [row.stableHash!, row]));
}

/** A stable id means one row, however often the read has it. Without one, each row counts. */
function distinct<Row extends ReadRow>(incoming: readonly Row[], known: ReadonlyMap<string, StoredRow>) {
  const sorted = [...incoming].sort(inOrder);
  const byId = new Map<string, Row>();
  let refused = 0;
  for (const row of sorted) {
    const { stableHash } = row;
    if (stableHash === null) continue;
    const before = byId.get(stableHash);
    if (!before) byId.set(stableHash, row);
    else if (!isSame(before, row)) {
      refused += 1;
      const stored = known.get(stableHash);
      if (stored && isSame(stored, row)) byId.set(stableHash, row);
    }
  }
  return { withId: [...byId.values()], withoutId: sorted.filter(({ stableHash }) => stableHash === null), refused };
}

function inOrder(a: ReadRow, b: ReadRow): number {
  return (
    compare(a.bookedOn, b.bookedOn) ||
    a.amount - b.amount ||
    compare(a.fingerprint, b.fingerprint) ||
    compare(a.stableHash ?? '', b.stableHash ?? '')
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isSame(a: ReadRow, b: ReadRow): boolean {
  return a.amount === b.amount && a.bookedOn === b.bookedOn;
}

const byFingerprint = ({ fingerprint }: ReadRow) => `is ${fingerprint}`;
const byDayAndAmount = ({ bookedOn, amount }: ReadRow) => `on ${bookedOn} ${amount}`;

/** Stored rows that no row of this read has claimed. Those without a stable id are taken first. */
function unclaimed(rows: readonly StoredRow[]) {
  const claimed = new Set<StoredRow>();
  const queues = new Map<string, StoredRow[]>();
  const sorted = [...rows].sort(
    (a, b) =>
      Number(a.stableHash !== null) - Number(b.stableHash !== null) ||
      compare(a.fingerprint, b.fingerprint) ||
      a.ordinal - b.ordinal,
  );
  for (const row of sorted) {
    for (const key of [byFingerprint(row), byDayAndAmount(row)]) {
      const queue = queues.get(key);
      if (queue) queue.push(row);
      else queues.set(key, [row]);
    }
  }
  return {
    claim: (row: StoredRow) => claimed.add(row),
    take(key: string, fits: (row: StoredRow) => boolean = () => true): StoredRow | undefined {
      const queue = queues.get(key) ?? [];
      while (queue[0] && claimed.has(queue[0])) queue.shift();
      const [found] = queue;
      if (!found || !fits(found)) return undefined;
      claimed.add(found);
      return found;
    },
  };
}

function ordinals(stored: readonly StoredRow[]): (fingerprint: string) => number {
  const last = new Map<string, number>();
  for (const { fingerprint, ordinal } of stored) last.set(fingerprint, Math.max(ordinal, last.get(fingerprint) ?? 0));
  return (fingerprint) => {
    const ordinal = (last.get(fingerprint) ?? 0) + 1;
    last.set(fingerprint, ordinal);
    return ordinal;
  };
}
