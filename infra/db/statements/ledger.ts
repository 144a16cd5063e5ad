import { lines, query } from '../sql.ts';

export const lockOwner = query<{
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  in_flight: number;
}>('ledger.lockOwner', 'select * from owner_lock($1, $2)');

/** What movements do, flat: lists of rows as the columns of `ledger_move` are named. */
export interface Moved {
  transfers: readonly object[];
  legs: readonly object[];
  vaults: readonly object[];
  lots: readonly object[];
  changes: readonly object[];
}

/**
 * Makes the movements of $1 (`movedValue`), inside of whatever statement. It gives the balance after each leg, and fails where a lot
 * to change is not there, or where a balance is another than a leg tells.
 */
export const MOVE = 'ledger_move($1::jsonb)';

/** The value of $1 for these movements. */
export function movedValue(all: readonly Moved[]): string {
  const lists = (['transfers', 'legs', 'vaults', 'lots', 'changes'] as const).map(
    (name) => [name, all.flatMap((moved) => moved[name])] as const,
  );
  return JSON.stringify(Object.fromEntries(lists.filter(([, rows]) => rows.length > 0)));
}

/** Makes movements by themselves. A line: what it moves. */
export const post = lines('ledger.post', `select ${MOVE}`, (asked) => [
  movedValue(asked.map(([moved]) => moved as Moved)),
]);

export const ledgerFaults = query<{ fault: string; subject: string }>(
  'ledger.faults',
  'select fault, subject from ledger_faults() union all select fault, subject from interest_faults() limit 100',
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
