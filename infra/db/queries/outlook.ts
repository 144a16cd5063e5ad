import { sql } from 'kysely';
import type { VaultType } from '../../../domain/ledger.ts';
import type { PaymentStatus } from '../../../domain/payments.ts';
import { query } from '../query.ts';

/** To be sent first in a transaction: all its queries read the same state. */
export const oneSnapshot = query(
  'outlook.oneSnapshot',
  () => sql`set transaction isolation level repeatable read, read only`,
);

/** Returns one row. `buffer_rate` is the split's, or the owner's. `running`: there is a standing split that is not paused. */
export const splitNow = query(
  'outlook.split',
  (ownerId: string) => sql<{ buffer_rate: string | null; running: boolean }>`
    select coalesce(s.buffer_rate, (select o.buffer_rate from owners o where o.owner_id = ${ownerId})) as buffer_rate,
           s.owner_id is not null and s.paused_at is null as running
      from (select ${ownerId}::text as owner_id) given left join standing_splits s on s.owner_id = given.owner_id`,
);

export interface EntryWithMonths {
  type: string;
  category: VaultType;
  amount: number;
  provider_id: string | null;
  pay_day: number | null;
  pay_amount: number | null;
  pays_from: string | null;
  paid_months: string[];
}

/** In the order of the split. `paid_months`: from the month of `today` on, the first days of those that have their payment. */
export const entriesWithMonths = query(
  'outlook.entries',
  (ownerId: string, today: string) => sql<EntryWithMonths>`
    select e.type, e.category, e.amount, e.provider_id, e.pay_day, e.pay_amount, e.pays_from,
           array(select b.month::text from payday_bills b
                  where b.entry_id = e.entry_id and b.month >= date_trunc('month', ${today}::date)) as paid_months
      from standing_entries e where e.owner_id = ${ownerId} and e.dropped_at is null order by e.position`,
);

export interface OpenPayment {
  provider_id: string;
  amount: number;
  status: PaymentStatus;
  /** Null if the payment is not scheduled. It can be pending all the same, while the bank is away. */
  execute_on: string | null;
  /** What is paid: the entry of the standing split, or the vault. */
  type: string;
  /** Whether the standing split ordered it. */
  of_split: boolean;
}

/** Payments at the bank, and those scheduled up to a day. */
export const openPayments = query(
  'outlook.openPayments',
  (ownerId: string, to: string) => sql<OpenPayment>`
    select p.provider_id, p.amount, p.status, p.execute_on, coalesce(b.type, nullif(v.label, ''), p.category) as type,
           b.payment_id is not null as of_split
      from payments p
      join vaults v on v.vault_id = p.vault_id
      left join payday_bills b on b.payment_id = p.payment_id
     where p.owner_id = ${ownerId} and (p.status = 'processing' or (p.status = 'pending' and coalesce(p.execute_on <= ${to}::date, true)))
     order by p.execute_on nulls first, p.seq`,
);

interface PayersWanted {
  ownerId: string;
  /** The first day to look at. */
  since: string;
  /** At most so many payers, those who paid last, and so many of the newest credits. */
  mostPayers: number;
  mostCredits: number;
}

/**
 * Payers of whom a wage is confirmed, with the amount of the last one, and their credits. Those that went back are left out.
 * A credit counts also after its transaction has gone, if it is a wage.
 */
export const payersWithCredits = query(
  'outlook.payers',
  ({ ownerId, since, mostPayers, mostCredits }: PayersWanted) => sql<{
    amount: number;
    credits: { amount: number; on: string }[];
  }>`
    with payers as materialized (
      select last.payer_hash, last.amount from (
        select distinct on (w.payer_hash) w.payer_hash, w.amount, w.received_on, w.seq from bank_wages w
         where w.owner_id = ${ownerId} and w.received_on >= ${since}::date and w.status = 'confirmed'
           and w.payer_hash is not null
         order by w.payer_hash, w.received_on desc, w.seq desc) last
       order by last.received_on desc, last.seq desc limit ${mostPayers}),
    credits as materialized (
      (select t.payer_hash, t.amount, t.booked_on as on_day from bank_transactions t
        where t.owner_id = ${ownerId} and t.booked_on >= ${since}::date and t.amount > 0 and t.payer_hash is not null
          and not exists (select from bank_wages w where w.transaction_id = t.transaction_id and w.status = 'reversed')
        order by t.booked_on desc, t.seq desc limit ${mostCredits})
      union
      (select w.payer_hash, w.amount, w.received_on from bank_wages w
        where w.owner_id = ${ownerId} and w.received_on >= ${since}::date and w.status <> 'reversed'
          and w.payer_hash is not null
        order by w.received_on desc, w.seq desc limit ${mostCredits}))
    select p.amount, jsonb_agg(jsonb_build_object('amount', c.amount, 'on', c.on_day)) as credits
      from payers p join credits c on c.payer_hash = p.payer_hash
     group by p.payer_hash, p.amount order by p.payer_hash`,
);

/** Newest first. */
export const openPlans = query(
  'outlook.openPlans',
  (ownerId: string) => sql<{ plan_id: string; seq: number }>`
    select plan_id, seq from debt_plans where owner_id = ${ownerId} and closed_at is null order by seq desc`,
);
