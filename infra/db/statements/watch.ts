import { sql } from 'kysely';
import type { PaymentStatus } from '../../../domain/payments.ts';
import { query } from '../query.ts';
import { tables } from '../tables.ts';

/** Ages are in seconds. Counts of rows have an upper limit. Null means nothing to report. */
export interface StandingRow {
  outbox_messages: number;
  outbox_age: number;
  letters: number;
  letters_age: number;
  attention: number;
  silent: number;
  documents: number;
  credentials: number;
  /** The end, in seconds since 1970, of the last run without failures that was not for an earlier month. */
  yield_succeeded: number | null;
  yield_failed: number | null;
}

/** Polled often, so each part reads a limited range of an index. */
export const standing = query(
  'watch.standing',
  (silentSince: Date) => sql<StandingRow>`
    select (select count(*) from (select from outbox_messages limit 10001) m) as outbox_messages,
           coalesce((select extract(epoch from now() - created_at) from outbox_messages order by message_id limit 1), 0)::float8
             as outbox_age,
           (select count(*) from (select from mail_messages limit 10001) m) as letters,
           coalesce((select extract(epoch from now() - created_at) from mail_messages order by mail_id limit 1), 0)::float8
             as letters_age,
           (select count(*) from (select from payments where attention limit 1001) p) as attention,
           (select count(*) from (select status, attention from payments where status in ('processing', 'pending') and updated_at < ${silentSince}
                                   order by updated_at limit 20000) p where status = 'processing' and not attention) as silent,
           (select count(*) from (select from documents where status = 'processing' limit 10001) d) as documents,
           (select count(*) from (select from credentials where issued_at is null limit 1001) c) as credentials,
           (select extract(epoch from ended_at)::float8 from accrual_runs
             where failed = 0 and as_of >= date_trunc('month', ended_at at time zone 'Europe/London')::date
             order by seq desc limit 1)
             as yield_succeeded,
           (select failed from accrual_runs order by seq desc limit 1) as yield_failed`,
);

/** Selects no amounts, and no text entered by the payer. */
export const paymentsNeedingAttention = query('watch.paymentsNeedingAttention', (most: number) =>
  tables
    .selectFrom('payments as p')
    .innerJoin('payment_attempts as a', (join) =>
      join.onRef('a.payment_id', '=', 'p.payment_id').onRef('a.attempt', '=', 'p.attempt'),
    )
    .select([
      'p.payment_id',
      'p.attempt',
      'p.status',
      'p.bank_status',
      'a.bank_payment_id',
      'p.initiated_at',
      'p.updated_at',
    ])
    .where('p.attention', '=', sql.lit(true))
    .orderBy('p.updated_at')
    .limit(most),
);

/** Selects no text entered by the payer. */
export const failedPayments = query('watch.failedPayments', (most: number) =>
  tables
    .selectFrom('payments as p')
    .select(['p.payment_id', 'p.owner_id', 'p.amount', 'p.provider_id', 'p.failure', 'p.attempt', 'p.attention'])
    .select(({ selectFrom }) =>
      selectFrom('payment_events as e')
        .select(({ fn }) => fn.coalesce(fn.max('e.created_at'), 'p.updated_at').as('at'))
        .whereRef('e.payment_id', '=', 'p.payment_id')
        .whereRef('e.attempt', '=', 'p.attempt')
        .where('e.status', '=', 'failed')
        .as('failed_at'),
    )
    .where('p.status', '=', sql.lit<PaymentStatus>('failed'))
    .orderBy('failed_at', 'desc')
    .limit(most),
);
