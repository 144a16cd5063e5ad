import type { CreditPayment } from '../../../domain/bills.ts';
import { query } from '../sql.ts';

const COLUMNS = `p.payment_id, p.category, p.amount, p.status, p.due_date, p.execute_on, p.initiated_at, p.attempt,
         a.created_at as attempted_at, settled.at as completed_at`;

/** With its current attempt, and when the bank settled it. */
const PAYMENTS = `payments p
    join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
    left join lateral (
      select min(e.created_at) as at from payment_events e where e.payment_id = p.payment_id and e.status = 'completed'
    ) as settled on p.status = 'completed'`;

/** Payments of an owner ($1) of the categories $4 that may be concluded; one that is on its way, if it was tried again: perhaps too late. */
const MAY_BE_CONCLUDED = `p.owner_id = $1 and p.category = any($4::text[])
     and (p.status in ('completed', 'failed') or p.status in ('processing', 'pending') and p.attempt > 1)`;

const MADE_ON = `coalesce(p.execute_on, (p.initiated_at at time zone 'Europe/London')::date)`;

/** Those whose day (`dayOf`) is from $2 to $3, both included. */
export const PAYMENTS_PAST = `select ${COLUMNS}
    from ${PAYMENTS}
   where ${MAY_BE_CONCLUDED}
     and coalesce(p.due_date, ${MADE_ON}) between $2::date and $3::date`;

/**
 * Those that a credential may count, with their payees' accounts: owner, from, to, categories. Some lie outside these days, because
 * whether a due date is to be believed is for `domain/bills.ts` to say.
 */
export const creditPayments = query<CreditPayment>(
  'reliability.creditPayments',
  `select ${COLUMNS}, r.vouched_by is not null as vouched, coalesce(r.account_fingerprint, r.provider_id) as account
    from ${PAYMENTS}
    join providers r using (provider_id)
   where ${MAY_BE_CONCLUDED}
     and (p.due_date between $2::date and $3::date or ${MADE_ON} between $2::date and $3::date)`,
);
