import { opening, query } from '../sql.ts';

/**
 * Locks owners and reads what movements of vault money must know. A line: owner, at; the vault to take from, how much, the one lot
 * to take from; the vault to put into, or its type and label; each null where it is not meant. Gives lots oldest first, no more
 * of them than cover the amount, and what the vaults that were found hold.
 */
export const openVaults = opening<{
  place: number;
  safe_to_spend: number;
  found_from: string | null;
  from_balance: number;
  lots: [allocationId: string, available: number][];
  found_to: string | null;
  to_balance: number;
}>('allocations.open', 'select * from vaults_open($1, $2, $3, $4, $5, $6, $7, $8, $9)');

export interface VaultEntryRow {
  seq: number;
  entry_id: string;
  kind: string;
  vault_id: string;
  vault_type: string;
  label: string;
  amount: number;
  balance_after: number;
  created_at: string;
}

/**
 * Entries of an owner's vaults below $2, newest first: $3 kinds, $4 from, $5 before, $6 only this vault of the owner (null: any), $7 how
 * many. Each vault gives its latest ones, of which the latest are taken: an index by owner would cost each movement more than this.
 */
export const vaultEntries = query<VaultEntryRow>(
  'allocations.entries',
  `select e.seq, e.entry_id, e.kind, e.vault_id, placed.vault_type, placed.label, e.amount, e.balance_after, e.created_at
     from (
       select latest.seq, v.vault_type, v.label
         from vaults v
         join ledger_accounts a on a.owner_id = v.owner_id and a.kind = 'vault' and a.vault_id = v.vault_id
        cross join lateral (
          select l.seq from ledger_entries l
           where l.account_id = a.account_id and l.vault_id <> '' and l.seq < $2 and l.kind = any($3::text[])
             and l.created_at >= coalesce($4::timestamptz, '-infinity') and l.created_at < coalesce($5::timestamptz, 'infinity')
           order by l.seq desc limit $7) latest
        where v.owner_id = $1 and ($6::text is null or v.vault_id = $6)
        order by latest.seq desc limit $7) placed
     join ledger_entries e on e.seq = placed.seq
    order by e.seq desc`,
);

/** All that an owner has, at one moment; always one row. */
export const balancesOfOwner = query<{
  safe_to_spend: number;
  buffer: number;
  in_flight: number;
  vaults: { vault_id: string; vault_type: string; label: string; balance: number }[];
}>(
  'allocations.balancesOfOwner',
  `select coalesce(sum(a.balance) filter (where a.kind = 'safe_to_spend'), 0)::bigint as safe_to_spend,
          coalesce(sum(a.balance) filter (where a.kind = 'buffer'), 0)::bigint as buffer,
          coalesce(sum(a.balance) filter (where a.kind = 'in_flight'), 0)::bigint as in_flight,
          (select coalesce(jsonb_agg(jsonb_build_object(
                     'vault_id', v.vault_id, 'vault_type', v.vault_type, 'label', v.label,
                     'balance', coalesce(held.balance, 0)) order by v.seq), '[]')
             from vaults v
             left join ledger_accounts held on held.owner_id = $1 and held.kind = 'vault' and held.vault_id = v.vault_id
            where v.owner_id = $1) as vaults
     from ledger_accounts a where a.owner_id = $1 and a.kind in ('safe_to_spend', 'buffer', 'in_flight') and a.vault_id = ''`,
);
