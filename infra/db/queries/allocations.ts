import { sql } from 'kysely';
import type { VaultsHeld } from '../../../domain/allocations.ts';
import type { EntryKind, VaultType } from '../../../domain/ledger.ts';
import { listsOf } from '../lists.ts';
import { MoneyQuery, OwnerLock } from '../locked-owner.ts';
import { batchQuery, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

/** Fields that do not apply are null. */
interface VaultsToOpen {
  owner_id: string;
  at: Date;
  from_vault_id: string | null;
  from_amount: number | null;
  from_allocation_id: string | null;
  /** The target vault, by id or by type and label. */
  to_vault_id: string | null;
  to_vault_type: string | null;
  to_label: string | null;
}

/**
 * - `allocations`: the source's oldest allocations up to the amount, or the allocation that the caller named.
 * - `vaults_held`: how many vaults are open, and how many there are in all; both 0 if no vault will be made.
 */
export const openVaults = (requested: VaultsToOpen) => new OwnerLock(openAll(requested), () => requested.owner_id);

const openAll = batchQuery(
  'allocations.open',
  (requested: readonly VaultsToOpen[], waits) => sql<{
    ordinal: number;
    safe_to_spend: number;
    found_from: string | null;
    from_balance: number;
    allocations: [allocationId: string, available: number][];
    found_to: string | null;
    to_balance: number;
    vaults_held: VaultsHeld;
  }>`
    select o.*,
           case when o.found_to is null then vaults_held((${listsOf(makers(requested), { owner_id: 'text' })})[o.ordinal])
                else '{0,0}' end as vaults_held
      from vaults_open(${waits}, ${listsOf(requested, {
        owner_id: 'text',
        at: 'timestamptz',
        from_vault_id: 'text',
        from_amount: 'bigint',
        from_allocation_id: 'text',
        to_vault_id: 'text',
        to_vault_type: 'text',
        to_label: 'text',
      })}) o`,
  { lockOf: ({ owner_id }) => owner_id },
);

/** The owner of each entry that names its target by type, and so can make a vault. */
function makers(requested: readonly VaultsToOpen[]): { owner_id: string | null }[] {
  return requested.map(({ owner_id, to_vault_type }) => ({ owner_id: to_vault_type === null ? null : owner_id }));
}

type EntryColumn = 'seq' | 'entry_id' | 'vault_id' | 'amount' | 'balance_after' | 'created_at';

type VaultEntryRow = { kind: EntryKind } & Pick<Row<'ledger_entries'>, EntryColumn> &
  Pick<Row<'vaults'>, 'vault_type' | 'label'>;

/** Null means no filter. `created_from` is inclusive. `created_before` and `before` are exclusive. */
interface EntriesWanted {
  owner_id: string;
  before: number;
  kinds: readonly EntryKind[];
  created_from: Date | null;
  created_before: Date | null;
  vault_id: string | null;
  most: number;
}

/** Selects the latest entries per vault before merging, because an index by owner would slow down every movement. */
export const vaultEntries = query(
  'allocations.entries',
  ({ owner_id, before, kinds, created_from, created_before, vault_id, most }: EntriesWanted) => sql<VaultEntryRow>`
    select e.seq, e.entry_id, e.kind, e.vault_id, selected.vault_type, selected.label, e.amount, e.balance_after, e.created_at
      from (
        select latest.seq, v.vault_type, v.label
          from vaults v
          join ledger_accounts a on a.owner_id = v.owner_id and a.kind = 'vault' and a.vault_id = v.vault_id
         cross join lateral (
           select l.seq from ledger_entries l
            where l.account_id = a.account_id and l.vault_id <> '' and l.seq < ${before} and l.kind = any(${kinds}::text[])
              and l.created_at >= coalesce(${created_from}::timestamptz, '-infinity')
              and l.created_at < coalesce(${created_before}::timestamptz, 'infinity')
            order by l.seq desc limit ${most}) latest
         where v.owner_id = ${owner_id} and (${vault_id}::text is null or v.vault_id = ${vault_id})
         order by latest.seq desc limit ${most}) selected
      join ledger_entries e on e.seq = selected.seq
     order by e.seq desc`,
);

/** All balances in one snapshot. Returns one row, also for an unknown owner. A closed vault is there only with money. */
export const balancesOfOwner = query(
  'allocations.balancesOfOwner',
  (ownerId: string) => sql<{
    safe_to_spend: number;
    buffer: number;
    in_flight: number;
    connected_on: string | null;
    vaults: { vault_id: string; vault_type: VaultType; label: string; balance: number; closed_at: string | null }[];
  }>`
    select coalesce(sum(a.balance) filter (where a.kind = 'safe_to_spend'), 0)::bigint as safe_to_spend,
           coalesce(sum(a.balance) filter (where a.kind = 'buffer'), 0)::bigint as buffer,
           coalesce(sum(a.balance) filter (where a.kind = 'in_flight'), 0)::bigint as in_flight,
           (select connected_on from bank_connected_on(${ownerId})) as connected_on,
           (select coalesce(jsonb_agg(jsonb_build_object(
                      'vault_id', v.vault_id, 'vault_type', v.vault_type, 'label', v.label,
                      'balance', coalesce(held.balance, 0), 'closed_at', v.closed_at) order by v.seq), '[]')
              from vaults v
              left join ledger_accounts held on held.owner_id = ${ownerId} and held.kind = 'vault' and held.vault_id = v.vault_id
             where v.owner_id = ${ownerId} and (v.closed_at is null or held.balance > 0)) as vaults
      from ledger_accounts a
     where a.owner_id = ${ownerId} and a.kind in ('safe_to_spend', 'buffer', 'in_flight') and a.vault_id = ''`,
);

export type VaultRow = Row<'vaults'>;

const vaults = () => tables.selectFrom('vaults').select(columnsOf('vaults'));

export const vaultById = query('allocations.vaultById', (vaultId: string) => vaults().where('vault_id', '=', vaultId));

export const openVaultNamed = query(
  'allocations.openVaultNamed',
  ({ owner_id, vault_type, label }: Pick<VaultRow, 'owner_id' | 'vault_type' | 'label'>) =>
    vaults()
      .where('owner_id', '=', owner_id)
      .where('vault_type', '=', vault_type)
      .where('label', '=', label)
      .where('closed_at', 'is', null),
);

/** `in_flight` is what pending and processing payments took from the vault, and might bring back. In pence. */
export const moneyOfVault = query(
  'allocations.moneyOfVault',
  ({ owner_id, vault_id }: Pick<VaultRow, 'owner_id' | 'vault_id'>) => sql<{ balance: number; in_flight: number }>`
    select coalesce((select a.balance from ledger_accounts a
                      where a.owner_id = ${owner_id} and a.kind = 'vault' and a.vault_id = ${vault_id}), 0) as balance,
           coalesce((select sum(p.amount) from payments p
                      where p.owner_id = ${owner_id} and p.vault_id = ${vault_id}
                        and p.status in ('processing', 'pending')), 0)::bigint as in_flight`,
);

export const changeVault = (vault: Pick<VaultRow, 'owner_id' | 'vault_id' | 'label'>, closedAt: Date | null) =>
  new MoneyQuery(vault.owner_id, change(vault, closedAt));

const change = query(
  'allocations.changeVault',
  ({ owner_id, vault_id, label }: Pick<VaultRow, 'owner_id' | 'vault_id' | 'label'>, closedAt: Date | null) => sql`
    select vault_change(${owner_id}, ${vault_id}, ${label}, ${closedAt})`,
);
