import type { VaultType } from '../../../domain/ledger.ts';
import { query } from '../sql.ts';

/** How a vault stands before interest is posted; `changes` by the day from which they count. */
export interface StandingRow {
  vault_id: string;
  owner_id: string;
  vault_type: VaultType;
  label: string;
  made_on: string;
  /** The first day that has not earned yet; null before the first accrual. */
  accrued_to: string | null;
  carried: number;
  balance: number;
  /** All interest that was ever posted to the owner. */
  earned: number;
  next_seq: number;
  changes: [day: string, amount: number, firstSeq: number][];
}

/**
 * Locks the owners of vaults until the transaction ends and tells how the vaults stand: ids, how many milliseconds to wait for
 * an owner who is taken (null for ever; 0 leaves its vaults out). A vault that is not there gives no row.
 */
export const openInterest = query<StandingRow>('yield.open', 'select * from interest_open($1, $2)');

/** Posts accruals, given as one JSON array; see `accrual_to_post`. */
export const postInterest = query('yield.post', 'select interest_post($1, $2::jsonb)');

export interface AccrualRow {
  accrual_id: string;
  seq: number;
  vault_id: string;
  from_date: string;
  to_date: string;
  annual_rate: string;
  accrued: number;
  remainder: number;
  balance_after: number;
  posted_at: string;
}

const ACCRUAL = `select accrual_id, seq, vault_id, from_date, to_date, annual_rate, accrued, remainder, balance_after, posted_at
    from accruals`;

/** The accrual of the day before $2, the first one that ends then or later. */
export const accrualUpTo = query<AccrualRow>(
  'yield.accrualUpTo',
  `${ACCRUAL} where vault_id = $1 and to_date >= $2 order by to_date limit 1`,
);

/** A vault's accruals below $2, newest first. */
export const accrualsOfVault = query<AccrualRow>(
  'yield.accrualsOfVault',
  `${ACCRUAL} where vault_id = $1 and seq < $2 order by to_date desc limit $3`,
);

export const ownerOfVault = query<{ owner_id: string }>(
  'yield.ownerOfVault',
  'select owner_id from vaults where vault_id = $1',
);

export type YieldRow = StandingRow & { total_accrued: number; accrued_since: number };

const YIELD = (which: string) => `select s.*, earned.*
    from interest_standing(array(select v.vault_id from vaults v where ${which} order by v.seq)) s
   cross join lateral (
     select coalesce(sum(c.accrued), 0)::bigint as total_accrued,
            coalesce(sum(c.accrued) filter (where c.posted_at >= $2), 0)::bigint as accrued_since
       from accruals c where c.vault_id = s.vault_id) earned`;

/** An owner's vaults and what was posted to each, in all and since $2; the oldest first. */
export const yieldOfOwner = query<YieldRow>('yield.ofOwner', YIELD('v.owner_id = $1'));

/** The same of one vault. */
export const yieldOfVault = query<YieldRow>('yield.ofVault', YIELD('v.vault_id = $1'));

/** What an owner's vaults hold. */
export const vaultBalances = query<{ vault_type: VaultType; balance: number }>(
  'yield.vaultBalances',
  `select v.vault_type, coalesce(a.balance, 0) as balance
     from vaults v
     left join ledger_accounts a on a.owner_id = $1 and a.kind = 'vault' and a.vault_id = v.vault_id
    where v.owner_id = $1 order by v.seq`,
);

export interface RateRow {
  vault_type: VaultType;
  from_date: string;
  annual_rate: string;
}

export const rates = query<RateRow>(
  'yield.rates',
  'select vault_type, from_date, annual_rate from yield_rates order by vault_type, from_date',
);

export const recordRate = query(
  'yield.recordRate',
  `insert into yield_rates (vault_type, from_date, annual_rate) values ($1, $2, $3)
   on conflict (vault_type, from_date) do update set annual_rate = excluded.annual_rate`,
);

/** How a run ended: up to which day, vaults, accruals, vaults that failed. */
export const insertRun = query(
  'yield.insertRun',
  'insert into accrual_runs (as_of, vaults, accruals, failed, ended_at) values ($1, $2, $3, $4, now())',
);

/** How many vaults there are of these types. */
export const countVaults = query<{ vaults: number }>(
  'yield.countVaults',
  'select count(*) as vaults from vaults where vault_type = any($1::text[])',
);

/** Where pages of $4 vaults end, by `seq`: of the next $3 vaults of a type after $2. */
export const pageEnds = query<{ seq: number }>(
  'yield.pageEnds',
  `select max(seq) as seq
     from (select v.seq, row_number() over (order by v.seq) as place
             from vaults v where v.vault_type = $1 and v.seq > $2 order by v.seq limit $3) numbered
    group by (place - 1) / $4 order by 1`,
);

/** The vaults of a page: type, after, up to, how many at most. */
export const vaultsOfPage = query<{ vault_id: string }>(
  'yield.vaultsOfPage',
  'select vault_id from vaults where vault_type = $1 and seq > $2 and seq <= $3 order by seq limit $4',
);

/** How many vaults of a type that were made before $2 are not accrued up to the day $3. */
export const unaccrued = query<{ vaults: number }>(
  'yield.unaccrued',
  `select count(*) as vaults from vaults v where v.vault_type = $1 and v.created_at < $2
      and not exists (select from accruals c where c.vault_id = v.vault_id and c.to_date >= $3)`,
);

/** What was posted to these vaults since $2. */
export const postedSince = query<{ accruals: number; accrued: number }>(
  'yield.postedSince',
  `select count(*) as accruals, coalesce(sum(accrued), 0)::bigint as accrued
     from accruals where vault_id = any($1::text[]) and posted_at >= $2`,
);
