import { lines, listOf, listParameters, listsOf, query } from '../sql.ts';

export const lockOwner = query<{
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  in_flight: number;
}>('ledger.lockOwner', 'select * from owner_lock($1, $2)');

/** What a movement does; it is a transfer where it has legs. */
export interface Moved {
  transferId: string;
  ownerId: string;
  kind: string;
  subjectId: string;
  at: Date;
  /** Without a vault, `vaultId` is ''; `balance` is what the account holds after it, null where that is not known beforehand. */
  legs: readonly {
    entryId: string;
    account: string;
    vaultId: string;
    kind: string;
    amount: number;
    balance: number | null;
  }[];
  vaults: readonly { vaultId: string; vaultType: string; label: string }[];
  lots: readonly { allocationId: string; vaultId: string; source: string; amount: number }[];
  changes: readonly { allocationId: string; amount: number; available: number }[];
}

const TYPES = [
  ...['text', 'text', 'text', 'text', 'timestamptz'],
  ...['int', 'text', 'text', 'text', 'text', 'bigint', 'bigint'],
  ...['int', 'text', 'text', 'text'],
  ...['int', 'text', 'text', 'text', 'bigint'],
  ...['int', 'text', 'bigint', 'bigint'],
];

/**
 * Makes the movements that `movedValues` stand for, inside of whatever statement; the first of these values is its value of that number.
 * It gives the balance after each leg, and fails where a lot to change is not there, or where a balance is another than a leg tells.
 */
export function moveFrom(first: number): string {
  return `ledger_move(${listParameters(TYPES, first)})`;
}

/** Movements as the lists of `ledger_move`. */
export function movedValues(all: readonly Moved[]): unknown[] {
  return [
    ...listsOf(all, ['transferId', 'ownerId', 'kind', 'subjectId', 'at']),
    ...placed(
      all.map(({ legs }) => legs),
      ['entryId', 'account', 'vaultId', 'kind', 'amount', 'balance'],
    ),
    ...placed(
      all.map(({ vaults }) => vaults),
      ['vaultId', 'vaultType', 'label'],
    ),
    ...placed(
      all.map(({ lots }) => lots),
      ['allocationId', 'vaultId', 'source', 'amount'],
    ),
    ...placed(
      all.map(({ changes }) => changes),
      ['allocationId', 'amount', 'available'],
    ),
  ];
}

/** Of which movement each row is, from 1, and a list for each of its columns. */
function placed<Row>(ofEach: readonly (readonly Row[])[], columns: readonly (keyof Row)[]): unknown[] {
  const places = ofEach.flatMap((rows, place) => rows.map(() => place + 1));
  return [listOf(places), ...listsOf<Row>(ofEach.flat(), columns)];
}

/** Makes movements by themselves. A line: what it moves. */
export const post = lines('ledger.post', `select ${moveFrom(1)}`, (asked) =>
  movedValues(asked.map(([moved]) => moved as Moved)),
);

export const ledgerFaults = query<{ fault: string; subject: string }>(
  'ledger.faults',
  `select fault, subject from ledger_faults() union all select fault, subject from interest_faults()
   union all select fault, subject from ledger_causes() limit 100`,
);

export interface LotRow {
  allocation_id: string;
  owner_id: string;
  vault_id: string;
  amount: number;
  available: number;
  source: string;
  created_at: string;
}

export const lotById = query<LotRow>(
  'ledger.lotById',
  `select allocation_id, owner_id, vault_id, amount, available, source, created_at
     from allocations where allocation_id = $1`,
);
