import { query } from '../sql.ts';

export const lockOwner = query<{
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  in_flight: number;
}>('ledger.lockOwner', 'select * from owner_lock($1, $2)');

/**
 * The parts of one statement that makes a whole movement: $1-$10 the transfer and its legs; $11-$13 new vaults (id, type,
 * label); $14-$17 new lots (id, vault, source, amount); $18-$20 changed lots (id, change of amount, change of available).
 * All arrays may be empty. It fails where a lot to change is not there.
 */
export const MOVEMENT = {
  changes: `new_vault as (
      insert into vaults (vault_id, owner_id, vault_type, label, created_at)
      select vault_id, $2, vault_type, label, $5
        from unnest($11::text[], $12::text[], $13::text[]) with ordinality as made (vault_id, vault_type, label, place)
       order by place
    ), new_lot as (
      insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
      select allocation_id, $2, vault_id, source, amount, amount, $5
        from unnest($14::text[], $15::text[], $16::text[], $17::bigint[])
             with ordinality as made (allocation_id, vault_id, source, amount, place)
       order by place
    ), changed_lot as (
      update allocations l set amount = l.amount + change.amount, available = l.available + change.available
        from unnest($18::text[], $19::bigint[], $20::bigint[]) as change (allocation_id, amount, available)
       where l.allocation_id = change.allocation_id and l.owner_id = $2
      returning 1
    )`,
  post: posting('ledger_post($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'),
} as const;

/** The count comes first, so that all lots are changed before the entries are checked against them. */
function posting(post: string): string {
  return `select case when (select count(*) from changed_lot) <> cardinality($18::text[]) then lot_is_missing()
                      when cardinality($10::bigint[]) = 0 then '{}'
                      else ${post} end::text[] as balances`;
}

/** Gives the balance after each leg. */
export const postMovement = query<{ balances: string[] }>(
  'ledger.postMovement',
  `with ${MOVEMENT.changes} ${MOVEMENT.post}`,
);

/** The same; fails where the balances after the legs are others than $21 tells. */
export const postAsTold = query(
  'ledger.postAsTold',
  `with ${MOVEMENT.changes} ${posting('ledger_post_as_told($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $21)')}`,
);

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
