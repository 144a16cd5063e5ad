import { query } from '../sql.ts';

export const lockOwner = query<{
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  in_flight: number;
}>('ledger.lockOwner', 'select * from owner_lock($1, $2)');

/**
 * Makes a whole movement, inside of whatever statement: $1-$10 the transfer and its legs; $11-$13 new vaults (id, type, label);
 * $14-$17 new lots (id, vault, source, amount); $18-$20 changed lots (id, change of amount, change of available). All arrays
 * may be empty. It gives the balance after each leg, and fails where a lot to change is not there.
 */
export const MOVE = `ledger_move(${parameters(20)})`;

/** Makes a movement by itself; fails where the balances after the legs are others than $21 tells. */
export const postAsTold = query('ledger.postAsTold', `select ledger_move(${parameters(21)})`);

function parameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
}

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
