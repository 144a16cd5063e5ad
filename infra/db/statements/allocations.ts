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

const ENTRY = `select e.seq, e.entry_id, e.kind, e.vault_id, v.vault_type, v.label, e.amount, e.balance_after, e.created_at
    from ledger_entries e join vaults v on v.vault_id = e.vault_id`;
const PAGE = `and e.vault_id <> '' and e.seq < $2 and e.kind = any($3::text[])
     and e.created_at >= coalesce($4::timestamptz, '-infinity') and e.created_at < coalesce($5::timestamptz, 'infinity')
   order by e.seq desc limit $6`;

/** Entries of an owner's vaults below $2, newest first: $3 kinds, $4 from, $5 before (null: any), $6 how many. */
export const vaultEntriesOfOwner = query<VaultEntryRow>(
  'allocations.entriesOfOwner',
  `${ENTRY} where e.owner_id = $1 ${PAGE}`,
);

/** The same of one vault, $7, if it is the owner's: asked first, so that nobody else's entries are ever looked through. */
export const vaultEntriesOfVault = query<VaultEntryRow>(
  'allocations.entriesOfVault',
  `${ENTRY} where e.vault_id = (select own.vault_id from vaults own where own.vault_id = $7 and own.owner_id = $1) ${PAGE}`,
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
