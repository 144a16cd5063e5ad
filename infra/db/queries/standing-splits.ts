import { sql } from 'kysely';
import { relationOf } from '../lists.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import type { EntryRow, SplitRow } from './payday.ts';

export type StoredEntry = Pick<
  EntryRow,
  | 'entry_id'
  | 'type'
  | 'amount'
  | 'category'
  | 'provider_id'
  | 'pay_day'
  | 'pay_amount'
  | 'reference'
  | 'pays_from'
  | 'set_by'
>;

/** In one snapshot, the standing split with its entries in their order. */
export const splitWithEntries = query(
  'standingSplits.withEntries',
  (ownerId: string) => sql<SplitRow & { entries: StoredEntry[] }>`
    select ${sql.join(columnsOf('standing_splits').map((column) => sql.ref(`s.${column}`)))},
           coalesce((select jsonb_agg(to_jsonb(e) order by e.position) from standing_entries e
                      where e.owner_id = s.owner_id and e.dropped_at is null), '[]') as entries
      from standing_splits s where s.owner_id = ${ownerId}`,
);

/** Inserts the standing split, or replaces the owner's. */
export const storeSplit = query('standingSplits.store', ({ owner_id, ...split }: SplitRow) =>
  tables
    .insertInto('standing_splits')
    .values({ owner_id, ...split })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(split)),
);

export const deleteSplit = query('standingSplits.delete', (ownerId: string) =>
  tables.deleteFrom('standing_splits').where('owner_id', '=', ownerId),
);

const ENTRY_TYPES = {
  entry_id: 'text',
  owner_id: 'text',
  position: 'int',
  type: 'text',
  amount: 'bigint',
  category: 'text',
  provider_id: 'text',
  pay_day: 'int',
  pay_amount: 'bigint',
  reference: 'text',
  pays_from: 'date',
  set_by: 'text',
  client_id: 'text',
  family_id: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const;

export type NewEntry = Omit<EntryRow, 'dropped_at'>;

const columnList = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
const ENTRY_COLUMNS = columnList(Object.keys(ENTRY_TYPES));
const KEPT = ['entry_id', 'owner_id', 'created_at'];
const replaced = Object.keys(ENTRY_TYPES).filter((name) => !KEPT.includes(name));

/** Inserts entries, or replaces those with the same id. */
export const storeEntries = query(
  'standingSplits.storeEntries',
  (entries: readonly NewEntry[]) => sql`
    insert into standing_entries (${ENTRY_COLUMNS})
    select ${ENTRY_COLUMNS} from ${relationOf('given', entries, ENTRY_TYPES)}
    on conflict (entry_id) do update
      set (${columnList(replaced)}) = row(${columnList(replaced.map((name) => `excluded.${name}`))})`,
);

/** Keeps only entries of which a payday tells. PostgreSQL could answer an `exists` here from a hash of all bills of all owners. */
export const dropEntries = query(
  'standingSplits.dropEntries',
  (entryIds: readonly string[], at: Date) => sql`
    with dropped as (
      select entry_id, (select true from payday_bills b where b.entry_id = e.entry_id limit 1) is not null as is_kept
        from standing_entries e where entry_id = any(${entryIds}::text[])),
    deleted as (
      delete from standing_entries e using dropped d where d.entry_id = e.entry_id and not d.is_kept)
    update standing_entries e set dropped_at = ${at} from dropped d where d.entry_id = e.entry_id and d.is_kept`,
);

export type PayeeOfEntry = Pick<Row<'payees'>, 'provider_id' | 'held_by' | 'account_fingerprint' | 'removed_at'>;

export const payeesOfEntries = query('standingSplits.payees', (providerIds: readonly string[]) =>
  tables
    .selectFrom('payees')
    .select(['provider_id', 'held_by', 'account_fingerprint', 'removed_at'])
    .where('provider_id', '=', sql<string>`any(${providerIds}::text[])`),
);

/**
 * The last month, not before `earliest`, for which the standing splits of the owner have paid an account, or still will.
 * A payment on arrival counts in the month in which it was made.
 */
export const paidThrough = query(
  'standingSplits.paidThrough',
  (ownerId: string, earliest: string) => sql<{ account_fingerprint: string; month: string }>`
    select r.account_fingerprint, max(paid.month) as month
      from payday_bills b
      join payments p on p.payment_id = b.payment_id and p.status <> 'cancelled'
      join payees r on r.provider_id = p.provider_id
     cross join lateral (
       select coalesce(b.month, date_trunc('month', b.created_at at time zone 'Europe/London')::date) as month) paid
     where b.owner_id = ${ownerId} and b.payment_id is not null and paid.month >= ${earliest}
     group by r.account_fingerprint`,
);

/** The payments of standing splits that can still be cancelled. */
export const pendingBills = query('standingSplits.pendingBills', (ownerId: string) =>
  tables
    .selectFrom('payday_bills as b')
    .innerJoin('payments as p', 'p.payment_id', 'b.payment_id')
    .innerJoin('payees as r', 'r.provider_id', 'p.provider_id')
    .select(['p.payment_id', 'r.account_fingerprint'])
    .where('b.owner_id', '=', ownerId)
    .where('b.payment_id', 'is not', null)
    .where('p.status', '=', 'pending')
    .where('p.doubted_by', 'is', null)
    .orderBy('p.seq'),
);

/** The entries of these payments can pay a bill of the month again. */
export const releaseMonths = query('standingSplits.releaseMonths', (paymentIds: readonly string[]) =>
  tables
    .updateTable('payday_bills')
    .set({ month: null })
    .where('payment_id', '=', sql<string>`any(${paymentIds}::text[])`),
);
