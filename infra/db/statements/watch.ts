import { query } from '../sql.ts';

/** How the service stands, for those who watch it. Ages in seconds, counts up to a bound, null where there is nothing to tell. */
export interface StandingRow {
  outbox_messages: number;
  outbox_age: number;
  letters: number;
  letters_age: number;
  attention: number;
  silent: number;
  documents: number;
  credentials: number;
  /** Seconds since 1970. */
  yield_succeeded: number | null;
  yield_failed: number | null;
}

/**
 * Asked for again and again: each part is a walk along an index that ends. $1: a payment not heard of since then is silent,
 * unless it waits for an operator.
 */
export const standing = query<StandingRow>(
  'watch.standing',
  `select (select count(*) from (select from outbox_messages limit 10001) m) as outbox_messages,
          coalesce((select extract(epoch from now() - created_at) from outbox_messages order by message_id limit 1), 0)::float8
            as outbox_age,
          (select count(*) from (select from mail_messages limit 10001) m) as letters,
          coalesce((select extract(epoch from now() - created_at) from mail_messages order by mail_id limit 1), 0)::float8
            as letters_age,
          (select count(*) from (select from payments where attention limit 1001) p) as attention,
          (select count(*) from (select status, attention from payments where status in ('processing', 'pending') and updated_at < $1
                                  order by updated_at limit 20000) p where status = 'processing' and not attention) as silent,
          (select count(*) from (select from documents where status = 'processing' limit 10001) d) as documents,
          (select count(*) from (select from credentials where issued_at is null limit 1001) c) as credentials,
          (select extract(epoch from ended_at)::float8 from accrual_runs
            where failed = 0 and as_of >= date_trunc('month', ended_at at time zone 'Europe/London')::date
            order by seq desc limit 1)
            as yield_succeeded,
          (select failed from accrual_runs order by seq desc limit 1) as yield_failed`,
);

/** A payment that an operator has to look at; ids and statuses only. */
export interface AttentionRow {
  payment_id: string;
  attempt: number;
  status: string;
  bank_status: string | null;
  bank_payment_id: string | null;
  initiated_at: string;
  updated_at: string;
}

/** The oldest first, at most $1. */
export const paymentsNeedingAttention = query<AttentionRow>(
  'watch.paymentsNeedingAttention',
  `select p.payment_id, p.attempt, p.status, p.bank_status, a.bank_payment_id, p.initiated_at, p.updated_at
     from payments p join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
    where p.attention order by p.updated_at limit $1`,
);
