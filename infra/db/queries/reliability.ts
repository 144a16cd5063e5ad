import { sql, type RawBuilder } from 'kysely';
import type { CreditPayment } from '../../../domain/bills.ts';
import { query } from '../query.ts';

/** `from` and `to` are inclusive. */
export interface PaymentsCounted {
  owner_id: string;
  from: string;
  to: string;
  categories: readonly string[];
}

const COLUMNS = sql`p.payment_id, p.category, p.amount, p.status, p.due_date, p.execute_on, p.initiated_at, p.attempt,
         a.created_at as attempted_at, settled.at as completed_at`;

const PAYMENTS = sql`payments p
    join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
    left join lateral (
      select min(e.created_at) as at from payment_events e where e.payment_id = p.payment_id and e.status = 'completed'
    ) as settled on p.status = 'completed'`;

/** Includes open payments that were retried, because a retry can already be too late. */
const mayBeConcluded = ({ owner_id, categories }: PaymentsCounted) => sql`
  p.owner_id = ${owner_id} and p.category = any(${categories}::text[])
     and (p.status in ('completed', 'failed') or p.status in ('processing', 'pending') and p.attempt > 1)`;

const MADE_ON = sql`coalesce(p.execute_on, (p.initiated_at at time zone 'Europe/London')::date)`;

/** Dates a payment as `dayOf` in `domain/reliability.ts` does. */
export const paymentsPast = (counted: PaymentsCounted): RawBuilder<unknown> => sql`
  select ${COLUMNS}
    from ${PAYMENTS}
   where ${mayBeConcluded(counted)}
     and coalesce(p.due_date, ${MADE_ON}) between ${counted.from}::date and ${counted.to}::date`;

/** `domain/credential.ts` decides which of these payments count. Nobody can vouch for what may be the payer's own account. */
export const creditPayments = query(
  'reliability.creditPayments',
  (counted: PaymentsCounted) => sql<CreditPayment>`
    select ${COLUMNS}, r.account_fingerprint as account,
           r.vouched_by is not null and r.own_account_of is distinct from p.owner_id and own.number_hash is null as vouched
      from ${PAYMENTS}
      join payees r using (provider_id)
      left join own_account_numbers own on own.owner_id = p.owner_id and own.number_hash = r.account_fingerprint
     where ${mayBeConcluded(counted)}
       and (p.due_date between ${counted.from}::date and ${counted.to}::date
            or ${MADE_ON} between ${counted.from}::date and ${counted.to}::date)`,
);
