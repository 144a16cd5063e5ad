import { sql, type RawBuilder } from 'kysely';
import { json } from '../lists.ts';
import { MoneyQuery, OwnerLock } from '../locked-owner.ts';
import { batchQuery, query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

const owner = query(
  'ledger.lockOwner',
  (ownerId: string, at: Date) =>
    sql<{ buffer_rate: string | null; safe_to_spend: number; buffer: number; in_flight: number }>`
      select * from owner_lock(${ownerId}, ${at})`,
);

/** Creates a missing owner. */
export const lockOwner = (ownerId: string, at: Date) => new OwnerLock(owner(ownerId, at), () => ownerId);

/** A movement of one owner's money, with the fields of the SQL type `ledger_movement`. */
export interface Moved {
  transfer_id: string;
  owner_id: string;
  kind: string;
  subject_id: string;
  at: Date;
  /** `vault_id` is '' without a vault. `balance` is the expected balance after the leg, or null if unknown. */
  legs: readonly {
    entry_id: string;
    account: string;
    vault_id: string;
    kind: string;
    amount: number;
    balance: number | null;
  }[];
  vaults: readonly { vault_id: string; vault_type: string; label: string }[];
  allocations: readonly { allocation_id: string; vault_id: string; source: string; amount: number }[];
  changes: readonly { allocation_id: string; amount: number; available: number }[];
}

/** Yields the balance after each leg. Fails if an allocation is missing, or if a balance is not the expected one. */
export function moved(all: readonly Moved[]): RawBuilder<number[]> {
  return sql`ledger_move(array(select m from jsonb_populate_recordset(null::ledger_movement, ${json(all)}) as m))`;
}

const postAll = batchQuery('ledger.post', (all: readonly Moved[]) => sql`select ${moved(all)}`);

export const post = (one: Moved) => new MoneyQuery(one.owner_id, postAll(one));

/** The violations of the ledger's invariants. */
export const ledgerFaults = query(
  'ledger.faults',
  () => sql<{ fault: string; subject: string }>`
    select fault, subject from ledger_faults() union all select fault, subject from interest_faults()
     union all select fault, subject from ledger_causes() limit 100`,
);

export type AllocationRow = Omit<Row<'allocations'>, 'seq' | 'emptied_at'>;

export const allocationById = query('ledger.allocationById', (allocationId: string) =>
  tables
    .selectFrom('allocations')
    .select(['allocation_id', 'owner_id', 'vault_id', 'amount', 'available', 'source', 'created_at'])
    .where('allocation_id', '=', allocationId),
);
