import type { PaymentPast } from '../../../domain/reliability.ts';
import type { ProviderCategory } from '../../../domain/payments.ts';
import { query } from '../sql.ts';

/** A payment as `domain/reliability.ts` judges it. */
export type PaymentPastRow = PaymentPast & {
  payment_id: string;
  category: ProviderCategory;
  amount: number;
};

/**
 * Payments of an owner ($1) that may be concluded, whose day (`dayOf`) is from $2 to $3, both included, of the categories $4.
 * One that is on its way counts where it was tried again: perhaps too late.
 */
export const PAYMENTS_PAST = `select p.payment_id, p.category, p.amount, p.status, p.due_date, p.execute_on, p.initiated_at, p.attempt,
         a.created_at as attempted_at, settled.at as completed_at
    from payments p
    join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
    left join lateral (
      select min(e.created_at) as at from payment_events e where e.payment_id = p.payment_id and e.status = 'completed'
    ) as settled on p.status = 'completed'
   where p.owner_id = $1 and p.category = any($4::text[])
     and (p.status in ('completed', 'failed') or p.status in ('processing', 'pending') and p.attempt > 1)
     and coalesce(p.due_date, p.execute_on, (p.initiated_at at time zone 'Europe/London')::date) between $2::date and $3::date`;

/** The same in the order of their days: owner, from, to, categories. */
export const paymentsPast = query<PaymentPastRow>(
  'reliability.paymentsPast',
  `${PAYMENTS_PAST} order by coalesce(p.due_date, p.execute_on, (p.initiated_at at time zone 'Europe/London')::date), p.seq`,
);
