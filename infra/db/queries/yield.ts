import { sql, type RawBuilder } from 'kysely';
import type { VaultType } from '../../../domain/ledger.ts';
import { listsOf } from '../lists.ts';
import { MoneyQuery, OwnerLock } from '../locked-owner.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

/** A vault whose owner is locked. `accrued_to` is the first day without accrued interest, and null before the first accrual. */
export type OpenVault = Pick<StandingRow, 'vault_id' | 'owner_id' | 'made_on' | 'accrued_to'>;

/** Each change has the day from which its amount earns interest. */
export interface StandingRow {
  vault_id: string;
  owner_id: string;
  vault_type: VaultType;
  label: string;
  made_on: string;
  /** The first day without accrued interest. Null before the first accrual. */
  accrued_to: string | null;
  carried: number;
  balance: number;
  /** The interest posted to the owner, across all vaults. */
  earned: number;
  next_seq: number;
  changes: [day: string, amount: number, firstSeq: number][];
  /** The first day on which the owner's vaults earn nothing. Null if the owner has connected no bank. */
  connected_on: string | null;
}

/** A null `waitMs` waits without limit. With 0, skips the vaults of locked owners. */
export const openInterest = (vaultIds: readonly string[], waitMs: number | null) =>
  new OwnerLock(openAll(vaultIds, waitMs), ({ owner_id }) => owner_id);

const openAll = query(
  'yield.open',
  (vaultIds: readonly string[], waitMs: number | null) => sql<OpenVault>`
    select * from interest_open(${vaultIds}, ${waitMs})`,
);

/** Interest for the days before `to`. A `monthly` run splits it by month. */
export interface InterestWanted {
  at: Date;
  to: string;
  monthly: boolean;
}

export type AccrualRow = Row<'accruals'>;
type Figure = 'from_date' | 'to_date' | 'annual_rate' | 'accrued' | 'remainder' | 'balance_after';
export type PostedAccrual = Pick<AccrualRow, 'accrual_id' | 'vault_id' | Figure>;

/** Without an accrual, the interest of the vault would exceed the limit of its owner. */
export type PostedRow = PostedAccrual | { accrual_id: null; vault_id: string };

/** Oldest first for each vault. The database calculates the interest. */
export const postInterest = (vaults: readonly OpenVault[], wanted: InterestWanted) =>
  new MoneyQuery(
    vaults.map(({ owner_id }) => owner_id),
    postAll(
      vaults.map(({ vault_id }) => vault_id),
      wanted,
    ),
  );

const postAll = query(
  'yield.post',
  (vaultIds: readonly string[], { at, to, monthly }: InterestWanted) => sql<PostedRow>`
    select * from interest_post(${at}, ${vaultIds}, ${to}, ${monthly})`,
);

/** Recalculates accruals in the order of their ids: all, or those of a slice of the vaults and those posted since. */
export const checkedAccruals = query(
  'yield.checked',
  (after: string, most: number, slice: number | null, since: string | null) => sql<{
    accrual_id: string;
    sound: boolean;
  }>`
    select accrual_id, sound from interest_checked(${after}, ${most}, ${slice}::int, ${since}::timestamptz)`,
);

export const businessToday = query('yield.today', () => sql<{ today: string }>`select business_today() as today`);

/** Oldest first for each type of vault. */
export const recordedRates = query('yield.rates', () =>
  tables.selectFrom('yield_rates').select(columnsOf('yield_rates')).orderBy('vault_type').orderBy('from_date'),
);

export type RateRow = Row<'yield_rates'>;

export const recordRate = query('yield.recordRate', (rate: RateRow) =>
  tables
    .insertInto('yield_rates')
    .values(rate)
    .onConflict((conflict) =>
      conflict.columns(['vault_type', 'from_date']).doUpdateSet({ annual_rate: rate.annual_rate }),
    ),
);

const accruals = (vaultId: string) =>
  tables.selectFrom('accruals').select(columnsOf('accruals')).where('vault_id', '=', vaultId);

/** A vault's earliest accrual with a `to_date` on or after `to`. */
export const accrualUpTo = query('yield.accrualUpTo', (vaultId: string, to: string) =>
  accruals(vaultId).where('to_date', '>=', to).orderBy('to_date').limit(1),
);

export const accrualsOfVault = query('yield.accrualsOfVault', (vaultId: string, before: number, most: number) =>
  accruals(vaultId).where('seq', '<', before).orderBy('to_date', 'desc').limit(most),
);

export const ownerOfVault = query('yield.ownerOfVault', (vaultId: string) =>
  tables.selectFrom('vaults').select('owner_id').where('vault_id', '=', vaultId),
);

/** Without a lock. Only vaults of the given types. `interest` is the posted interest among the changes. */
export const standingsOfOwner = query(
  'yield.standingsOfOwner',
  (ownerId: string, types: readonly VaultType[]) => sql<StandingRow & { interest: number }>`
    select s.*, posted.interest
      from interest_standing(array(
        select v.vault_id from vaults v where v.owner_id = ${ownerId} and v.vault_type = any(${types}::text[]))) s
      left join accruals last on last.vault_id = s.vault_id and last.to_date = s.accrued_to
      left join ledger_accounts held on held.owner_id = s.owner_id and held.kind = 'vault' and held.vault_id = s.vault_id
     cross join lateral (
       select coalesce(sum(e.amount), 0)::bigint as interest from ledger_entries e
        where e.account_id = held.account_id and e.vault_id <> '' and e.kind = 'interest'
          and e.seq >= coalesce(last.entries_before, 0)) posted`,
);

export type YieldRow = StandingRow & { closed_at: string | null; total_accrued: number; accrued_since: number };

const yieldOf = (which: RawBuilder<unknown>, since: Date) => sql<YieldRow>`
  select s.*, v.closed_at, earned.*
    from interest_standing(array(select v.vault_id from vaults v where ${which})) s
    join vaults v using (vault_id)
   cross join lateral (
     select coalesce(sum(c.accrued), 0)::bigint as total_accrued,
            coalesce(sum(c.accrued) filter (where c.posted_at >= ${since}), 0)::bigint as accrued_since
       from accruals c where c.vault_id = s.vault_id) earned
   order by v.seq`;

export const yieldOfOwner = query('yield.ofOwner', (ownerId: string, since: Date) =>
  yieldOf(sql`v.owner_id = ${ownerId}`, since),
);

export const yieldOfVault = query('yield.ofVault', (vaultId: string, since: Date) =>
  yieldOf(sql`v.vault_id = ${vaultId}`, since),
);

export const countVaults = query('yield.countVaults', (types: readonly VaultType[]) =>
  tables
    .selectFrom('vaults')
    .select(({ fn }) => fn.countAll<number>().as('vaults'))
    .where('vault_type', '=', sql<VaultType>`any(${types}::text[])`),
);

/** The sequence number of the last vault on each of the next `pages` pages. */
export const pageEnds = query(
  'yield.pageEnds',
  ({ type, after, pages, size }: { type: VaultType; after: number; pages: number; size: number }) => sql<{
    seq: number;
  }>`
    select max(seq) as seq
      from (select v.seq, row_number() over (order by v.seq) as ordinal
              from vaults v where v.vault_type = ${type} and v.seq > ${after} order by v.seq limit ${pages * size}) numbered
     group by (ordinal - 1) / ${size}::bigint order by 1`,
);

/** `after` is exclusive, and `upto` is inclusive. */
export const vaultsOfPage = query(
  'yield.vaultsOfPage',
  ({ type, after, upto, most }: { type: VaultType; after: number; upto: number; most: number }) =>
    tables
      .selectFrom('vaults')
      .select('vault_id')
      .where('vault_type', '=', type)
      .where('seq', '>', after)
      .where('seq', '<=', upto)
      .orderBy('seq')
      .limit(most),
);

/** The first day on which the owner's vaults earn nothing. Null if the owner has connected no bank. */
export const connectedOn = query(
  'yield.connectedOn',
  (ownerId: string) => sql<Pick<StandingRow, 'connected_on'>>`select connected_on from bank_connected_on(${ownerId})`,
);

/** Counts vaults without all interest of these periods, oldest first and at least one, in which this type of vault earns. */
export const unaccrued = query(
  'yield.unaccrued',
  (type: VaultType, periods: readonly { from: string; to: string }[]) => sql<{ vaults: number }>`
    select count(*) as vaults
      from vaults v
     cross join lateral bank_connected_on(v.owner_id) connected
     cross join lateral (
       select case when connected.connected_on is null then ${periods.at(-1)!.to}::date else (
                select max(least(earning.to_day, connected.connected_on))
                  from unnest(${listsOf(periods, { from: 'date', to: 'date' })}) as earning (from_day, to_day)
                 where earning.from_day < connected.connected_on) end as day) due
     where v.vault_type = ${type} and (v.created_at at time zone 'Europe/London')::date < due.day
       and coalesce((select max(c.to_date) from accruals c where c.vault_id = v.vault_id) < due.day, true)`,
);

export const postedSince = query(
  'yield.postedSince',
  (vaultIds: readonly string[], since: Date) => sql<{ accruals: number; accrued: number }>`
    select count(*) as accruals, coalesce(sum(accrued), 0)::bigint as accrued
      from accruals where vault_id = any(${vaultIds}::text[]) and posted_at >= ${since}`,
);
