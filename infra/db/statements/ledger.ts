import { sql, type RawBuilder } from 'kysely';
import { listsOf } from '../lists.ts';
import { batchQuery, query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

/** Until the transaction ends, no other transaction can change the owner's balances. Creates a missing owner. */
export const lockOwner = query(
  'ledger.lockOwner',
  (ownerId: string, at: Date) =>
    sql<{ buffer_rate: string | null; safe_to_spend: number; buffer: number; in_flight: number }>`
      select * from owner_lock(${ownerId}, ${at})`,
);

export interface Moved {
  transferId: string;
  ownerId: string;
  kind: string;
  subjectId: string;
  at: Date;
  /** `vaultId` is '' without a vault. `balance` is the expected balance after the leg, or null if unknown. */
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

/** Yields the balance after each leg. Fails if a lot is missing, or if a balance is not the expected one. */
export function moved(all: readonly Moved[]): RawBuilder<number[]> {
  const parts = [
    listsOf(all, { transferId: 'text', ownerId: 'text', kind: 'text', subjectId: 'text', at: 'timestamptz' }),
    listsOf(placed(all, 'legs'), {
      place: 'int',
      entryId: 'text',
      account: 'text',
      vaultId: 'text',
      kind: 'text',
      amount: 'bigint',
      balance: 'bigint',
    }),
    listsOf(placed(all, 'vaults'), { place: 'int', vaultId: 'text', vaultType: 'text', label: 'text' }),
    listsOf(placed(all, 'lots'), {
      place: 'int',
      allocationId: 'text',
      vaultId: 'text',
      source: 'text',
      amount: 'bigint',
    }),
    listsOf(placed(all, 'changes'), { place: 'int', allocationId: 'text', amount: 'bigint', available: 'bigint' }),
  ];
  return sql`ledger_move(${sql.join(parts)})`;
}

function placed<Part extends 'legs' | 'vaults' | 'lots' | 'changes'>(all: readonly Moved[], part: Part) {
  return all.flatMap((movement, index) =>
    (movement[part] as readonly Moved[Part][number][]).map((row) => ({ place: index + 1, ...row })),
  );
}

export const post = batchQuery('ledger.post', (all: readonly Moved[]) => sql`select ${moved(all)}`);

/** The violations of the ledger's invariants. */
export const ledgerFaults = query(
  'ledger.faults',
  () => sql<{ fault: string; subject: string }>`
    select fault, subject from ledger_faults() union all select fault, subject from interest_faults()
     union all select fault, subject from ledger_causes() limit 100`,
);

export type LotRow = Omit<Row<'allocations'>, 'seq'>;

export const lotById = query('ledger.lotById', (allocationId: string) =>
  tables
    .selectFrom('allocations')
    .select(['allocation_id', 'owner_id', 'vault_id', 'amount', 'available', 'source', 'created_at'])
    .where('allocation_id', '=', allocationId),
);
