import { sql } from 'kysely';
import type { CalendarDate } from '../../../domain/dates.ts';
import type { LeftOut } from '../../../domain/payday/bills.ts';
import type { PayeeCategory } from '../../../domain/payments.ts';
import { insertion, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import { isPayable } from './payments.ts';

export type SplitRow = Row<'standing_splits'>;
export type EntryRow = Row<'standing_entries'>;

export const splitOf = query('payday.splitOf', (ownerId: string) =>
  tables.selectFrom('standing_splits').select(columnsOf('standing_splits')).where('owner_id', '=', ownerId),
);

/** In the order of the standing split. Without dropped ones. */
export const entriesOf = query('payday.entriesOf', (ownerId: string) =>
  tables
    .selectFrom('standing_entries')
    .select(columnsOf('standing_entries'))
    .where('owner_id', '=', ownerId)
    .where('dropped_at', 'is', null)
    .orderBy('position'),
);

export const entryById = query('payday.entryById', (entryId: string) =>
  tables.selectFrom('standing_entries').select(columnsOf('standing_entries')).where('entry_id', '=', entryId),
);

export type PaydayRow = Row<'paydays'>;
export type BillRow = Row<'payday_bills'>;

/** Returns the wages that had no payday before. One that arrived before a restore ended might have had it, and is split by hand. */
export const insertPaydays = query(
  'payday.insert',
  (wageIds: readonly string[], at: Date) => sql<Pick<PaydayRow, 'wage_id' | 'owner_id'>>`
    insert into paydays (wage_id, owner_id, started_at)
    select wage_id, owner_id, ${at} from bank_wages
     where wage_id = any(${wageIds}::text[]) and status = 'confirmed'
       and not exists (select from restores r where r.state in ('begun', 'finished')
         and (r.ended_at is null or received_on <= (r.ended_at at time zone 'Europe/London')::date))
     order by received_on, seq
    on conflict do nothing returning wage_id, owner_id`,
);

export const paydayOf = query('payday.ofWage', (wageId: string) =>
  tables.selectFrom('paydays').select(columnsOf('paydays')).where('wage_id', '=', wageId),
);

export const paydaySplit = query('payday.split', (wageId: string, calculation_id: string) =>
  tables.updateTable('paydays').set({ calculation_id }).where('wage_id', '=', wageId),
);

export const paydayEnded = query(
  'payday.ended',
  (wageId: string, { ended_at, attention }: Pick<PaydayRow, 'ended_at' | 'attention'>) =>
    tables.updateTable('paydays').set({ ended_at, attention }).where('wage_id', '=', wageId),
);

/** Paydays whose workflow may have been lost. */
export const silentPaydays = query('payday.silent', (silentSince: Date, most: number) =>
  tables
    .selectFrom('paydays')
    .select(['wage_id', 'owner_id'])
    .where('ended_at', 'is', null)
    .where('started_at', '<', silentSince.toISOString())
    .orderBy('started_at')
    .limit(most),
);

export const insertBill = insertion('payday.insertBill', 'payday_bills');

export const billsOf = query('payday.bills', (wageId: string) =>
  tables.selectFrom('payday_bills').select(columnsOf('payday_bills')).where('wage_id', '=', wageId),
);

/** Whatever became of the payment. */
export const billOfMonth = query('payday.billOfMonth', (entryId: string, month: CalendarDate) =>
  tables.selectFrom('payday_bills').select('payment_id').where('entry_id', '=', entryId).where('month', '=', month),
);

/** The payee of an entry, which stays until the transaction ends. `payable`: by the one who set the entry. */
export const payeeOfEntry = query(
  'payday.payee',
  (entryId: string) => sql<{ category: PayeeCategory; payable: boolean }>`
    select r.category, ${isPayable('e.owner_id', 'e.set_by')} as payable
      from standing_entries e join payees r on r.provider_id = e.provider_id
     where e.entry_id = ${entryId} for key share of r`,
);

/** A row if the payment is of a payday, and the split of its owner is paused now. */
export const pausedSplitOf = query('payday.pausedSplit', (paymentId: string) =>
  tables
    .selectFrom('payday_bills as b')
    .innerJoin('standing_splits as s', 's.owner_id', 'b.owner_id')
    .select('s.owner_id')
    .where('b.payment_id', '=', paymentId)
    .where('s.paused_at', 'is not', null),
);

/** The oldest lot of the vault that holds so much. The index has only lots with money, and no plan knows that the amount is more than 0. */
export const lotWith = query('payday.lotWith', (vaultId: string, amount: number) =>
  tables
    .selectFrom('allocations')
    .select(['allocation_id', 'vault_id', 'available'])
    .where('vault_id', '=', vaultId)
    .where('available', '>', sql.lit(0))
    .where('available', '>=', amount)
    .orderBy('seq')
    .limit(1),
);

/** The oldest lots of the vault up to the amount, as far as one movement takes them. */
export const oldestLots = query(
  'payday.oldestLots',
  (vaultId: string, amount: number) => sql<{ allocation_id: string; available: number }>`
    select allocation_id, available from allocations_to_take(${vaultId}, ${amount}, null)`,
);

type ShownPayday = Omit<PaydayRow, 'owner_id'> & {
  payments: string[];
  left_out: { type: string; amount: number; reason: LeftOut }[];
};

/** Newest first. A wage that went back after its payday needs attention too. */
export const paydaysOf = query(
  'payday.list',
  ({ owner, before, most }: { owner: string; before: number; most: number }) => sql<ShownPayday>`
    select p.wage_id, p.seq, p.calculation_id, p.started_at, p.ended_at,
           coalesce(p.attention, case when w.status = 'reversed' then 'wage-reversed' end) as attention,
           b.payments, b.left_out
      from paydays p join bank_wages w on w.wage_id = p.wage_id
     cross join lateral (
       select coalesce(jsonb_agg(made.payment_id order by e.position) filter (where made.payment_id is not null), '[]') as payments,
              coalesce(jsonb_agg(jsonb_build_object('type', made.type, 'amount', made.amount, 'reason', made.left_out)
                         order by e.position) filter (where made.left_out is not null), '[]') as left_out
         from payday_bills made join standing_entries e on e.entry_id = made.entry_id
        where made.wage_id = p.wage_id) b
     where p.owner_id = ${owner} and p.seq < ${before}
     order by p.seq desc limit ${most}`,
);
