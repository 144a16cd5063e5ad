import { sql, type RawBuilder } from 'kysely';
import type { CalendarDate } from '../../../domain/dates.ts';
import type { Problem, StoredStatus } from '../../../domain/reconciliation/statuses.ts';
import { relationOf } from '../lists.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

/** Serialises what is found of an owner's payments. Taken before the owner is locked. */
export const lockReconciliationsOf = query(
  'reconciliation.lockOwner',
  (ownerId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 4717))::text as locked`,
);

/** The account `a` of this owner has this number, and an authorised connection reads its transactions. */
const isRead = (ownerId: RawBuilder<unknown>, numberHash: RawBuilder<unknown>) => sql<boolean>`
  a.owner_id = ${ownerId} and a.number_hash = ${numberHash} and a.gone_at is null
  and a.kind in ('current', 'savings') and a.currency = 'GBP' and exists (
    select from bank_account_links l join bank_connections g on g.connection_id = l.connection_id
     where l.account_id = a.account_id and l.gone_at is null
       and connection_status(g.status, g.authorise_until, g.valid_until) = 'authorised')`;

const PAYER = sql`coalesce(r.number_hash, c.paying_number_hash)`;

const PAYMENT = sql`payments p
  join bank_connections c on c.connection_id = p.connection_id and c.owner_id = p.owner_id
  left join reconciliations r on r.payment_id = p.payment_id`;

export interface ReconciliationRow {
  status: StoredStatus | null;
  transaction_id: string | null;
  matched_at: string | null;
  problem: Problem | null;
  is_read: boolean;
}

/** No row if the house account paid. */
export const reconciliationOf = query(
  'reconciliation.ofPayment',
  (paymentId: string) => sql<ReconciliationRow>`
    select r.status, r.transaction_id, r.matched_at, r.problem,
           exists (select from bank_accounts a where ${isRead(sql`p.owner_id`, PAYER)}) as is_read
      from ${PAYMENT} where p.payment_id = ${paymentId}`,
);

export const problemOf = query('reconciliation.problem', (paymentId: string) =>
  tables
    .selectFrom('reconciliations')
    .select('problem')
    .where('payment_id', '=', paymentId)
    .where('problem', 'is not', null),
);

/** A payment that moved money from an account that is read, with what is stored of it. */
export interface SoughtRow {
  payment_id: string;
  seq: number;
  amount: number;
  reference: string | null;
  status: 'completed' | 'returned';
  sent_on: CalendarDate;
  completed_at: string;
  returned_at: string | null;
  connection_id: string;
  payee_sealed: string | null;
  number_hash: string;
  known_status: StoredStatus | null;
  transaction_id: string | null;
  returned_by: string | null;
  problem: Problem | null;
  debit_kept: boolean;
  credit_kept: boolean;
  account_ids: string[];
  read_through: CalendarDate | null;
}

const happened = (status: 'completed' | 'returned') => sql`
  (select max(e.created_at) from payment_events e where e.payment_id = p.payment_id and e.status = ${sql.lit(status)})`;

const isKept = (transactionId: RawBuilder<unknown>) =>
  sql`exists (select from bank_transactions t where t.transaction_id = ${transactionId})`;

/** Those that completed since then. */
export const soughtOf = query(
  'reconciliation.soughtOf',
  (ownerId: string, since: Date) => sql<SoughtRow>`
    with sought as materialized (
      select p.payment_id, p.seq, p.owner_id, p.amount, p.reference, p.status, p.counts_on as sent_on,
             ${happened('completed')} as completed_at, ${happened('returned')} as returned_at,
             p.connection_id, c.payee_sealed, ${PAYER} as number_hash,
             r.status as known_status, r.transaction_id, r.returned_by, r.problem,
             ${isKept(sql`r.transaction_id`)} as debit_kept, ${isKept(sql`r.returned_by`)} as credit_kept
        from ${PAYMENT}
       where p.owner_id = ${ownerId} and p.status in ('completed', 'returned') and p.updated_at >= ${since})
    select s.*, paying.account_ids, paying.read_through
      from sought s cross join lateral (
        select array_agg(a.account_id) as account_ids,
               case when bool_and(a.read_through is not null) then min(a.read_through) end as read_through
          from bank_accounts a where ${isRead(sql`s.owner_id`, sql`s.number_hash`)}) paying
     where s.completed_at >= ${since} and paying.account_ids is not null
     order by s.seq`,
);

/** Those that completed since then, or are in doubt since a restore. These count as completed on the first day on which they can have been sent. */
export const soughtInDoubt = query(
  'reconciliation.soughtInDoubt',
  (ownerId: string, since: Date) => sql<SoughtRow & { doubted_by: string | null }>`
    with sought as materialized (
      select p.payment_id, p.seq, p.owner_id, p.amount, p.reference, 'completed' as status,
             greatest(p.execute_on, (a.created_at at time zone 'Europe/London')::date) as sent_on, p.doubted_by,
             p.connection_id, c.payee_sealed, ${PAYER} as number_hash,
             r.status as known_status, r.transaction_id, r.returned_by, r.problem,
             ${isKept(sql`r.transaction_id`)} as debit_kept, ${isKept(sql`r.returned_by`)} as credit_kept
        from ${PAYMENT} join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
       where p.owner_id = ${ownerId} and r.transaction_id is null
         and (p.doubted_by is not null or (p.status in ('completed', 'returned') and p.updated_at >= ${since})))
    select s.*, s.sent_on::timestamptz as completed_at, null::timestamptz as returned_at, paying.account_ids, paying.read_through
      from sought s cross join lateral (
        select array_agg(a.account_id) as account_ids, min(a.read_through) as read_through
          from bank_accounts a where ${isRead(sql`s.owner_id`, sql`s.number_hash`)}) paying
     where paying.account_ids is not null order by s.seq`,
);

/** Amounts of payments that the bank has, or will soon have. One that needs an operator can stay so for months. */
export const amountsOnTheirWay = query('reconciliation.amountsOnTheirWay', (ownerId: string) =>
  tables
    .selectFrom('payments')
    .select('amount')
    .distinct()
    .where('owner_id', '=', ownerId)
    .where('status', '=', sql.lit('processing' as const))
    .where('attention', '=', false),
);

export type BookingRow = Pick<
  Row<'bank_transactions'>,
  'transaction_id' | 'seq' | 'account_id' | 'amount' | 'booked_on' | 'texts_sealed' | 'debtor_hash'
> &
  Pick<Row<'bank_accounts'>, 'key_sealed' | 'number_hash'>;

interface BookingsWanted {
  accountIds: readonly string[];
  amounts: readonly number[];
  from: CalendarDate;
  to: CalendarDate;
  after: { booked_on: CalendarDate; seq: number };
  most: number;
}

/** Debits and credits of these amounts that belong to no payment, and are no wage. */
export const freeBookings = query(
  'reconciliation.freeBookings',
  ({ accountIds, amounts, from, to, after, most }: BookingsWanted) => sql<BookingRow>`
    select t.transaction_id, t.seq, t.account_id, t.amount, t.booked_on, t.texts_sealed, a.key_sealed, a.number_hash, t.debtor_hash
      from bank_transactions t join bank_accounts a on a.account_id = t.account_id
     where t.account_id = any(${accountIds}::text[]) and t.booked_on between ${from}::date and ${to}::date
       and (t.booked_on, t.seq) > (${after.booked_on}::date, ${after.seq}::bigint)
       and abs(t.amount) = any(${amounts}::bigint[])
       and not exists (select from reconciliations r where r.transaction_id = t.transaction_id)
       and not exists (select from reconciliations r where r.returned_by = t.transaction_id)
       and not exists (select from bank_wages w where w.transaction_id = t.transaction_id and w.status = 'confirmed')
     order by t.booked_on, t.seq limit ${most}`,
);

interface DebitsWanted extends Pick<BookingsWanted, 'amounts' | 'from' | 'to'> {
  ownerId: string;
}

/** On which days such amounts left which accounts of the owner. The amounts are negative. */
export const debitDays = query('reconciliation.debitDays', ({ ownerId, amounts, from, to }: DebitsWanted) =>
  tables
    .selectFrom('bank_transactions')
    .select(['amount', 'booked_on', 'account_id'])
    .distinct()
    .where('owner_id', '=', ownerId)
    .where(sql<boolean>`booked_on between ${from}::date and ${to}::date`)
    .where(sql<boolean>`-amount = any(${amounts}::bigint[])`),
);

export type Stored = Pick<
  Row<'reconciliations'>,
  'payment_id' | 'owner_id' | 'number_hash' | 'status' | 'transaction_id' | 'returned_by' | 'problem'
>;

const STORED_TYPES = {
  payment_id: 'text',
  owner_id: 'text',
  number_hash: 'text',
  status: 'text',
  transaction_id: 'text',
  returned_by: 'text',
  problem: 'text',
} as const;

const STORED = sql.join(Object.keys(STORED_TYPES).map((name) => sql.ref(name)));

/** A payment that is found again keeps the time at which it was found first. */
export const storeReconciliations = query(
  'reconciliation.store',
  (rows: readonly Stored[], at: Date) => sql`
    insert into reconciliations as r (${STORED}, matched_at, checked_at)
    select ${STORED}, case when status = 'matched' then ${at}::timestamptz end, ${at}::timestamptz
      from ${relationOf('given', rows, STORED_TYPES)}
    on conflict (payment_id) do update
       set status = excluded.status, transaction_id = excluded.transaction_id, returned_by = excluded.returned_by,
           problem = excluded.problem, checked_at = excluded.checked_at,
           matched_at = case when excluded.status = 'matched' then coalesce(r.matched_at, excluded.matched_at) end`,
);

/** Owners who pay from their own banks, and let an account be read. */
export const reconciledOwners = query(
  'reconciliation.owners',
  (after: string, most: number) => sql<{ owner_id: string }>`
    select distinct c.owner_id from bank_connections c
     where c.owner_id > ${after} and c.kind = 'payments' and c.authorised_at is not null
       and exists (select from bank_accounts a where a.owner_id = c.owner_id)
     order by c.owner_id limit ${most}`,
);

export const runEnded = query('reconciliation.runEnded', () =>
  tables.insertInto('reconciliation_runs').values({ ended_at: sql<string>`now()` }),
);
