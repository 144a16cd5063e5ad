import { sql } from 'kysely';
import { CONNECTION_STATUSES, type ConnectionStatus } from '../../../domain/bank/connections.ts';
import type { PaymentStatus } from '../../../domain/payments.ts';
import type { Problem } from '../../../domain/reconciliation/statuses.ts';
import { query } from '../query.ts';
import { tables } from '../tables.ts';

/** Each column has the name of a metric. Null means nothing to report. */
export interface StandingRow {
  outbox_messages: number;
  outbox_oldest_age_seconds: number;
  letters_waiting: number;
  letters_oldest_age_seconds: number;
  payments_needing_attention: number;
  payments_silent: number;
  documents_waiting: number;
  credentials_unsigned: number;
  yield_last_success_timestamp_seconds: number | null;
  yield_last_run_failed_vaults: number | null;
  payments_missing: number;
  reconciliation_last_success_timestamp_seconds: number | null;
  bank_consents_not_ended: number;
  bank_connections_unread: number;
  bank_syncs_late: number;
  /** The only one that is no number. */
  bank_connections: Readonly<Record<ConnectionStatus, number>>;
}

/** Polled often, so each part reads a limited range of an index. */
export const standing = query(
  'watch.standing',
  (silentSince: Date) => sql<StandingRow>`
    select (select count(*) from (select from outbox_messages limit 10001) m) as outbox_messages,
           coalesce((select extract(epoch from now() - created_at) from outbox_messages where begun_at is null order by message_id limit 1), 0)::float8
             as outbox_oldest_age_seconds,
           (select count(*) from (select from mail_messages limit 10001) m) as letters_waiting,
           coalesce((select extract(epoch from now() - created_at) from mail_messages order by mail_id limit 1), 0)::float8
             as letters_oldest_age_seconds,
           (select count(*) from (select from payments where attention limit 1001) p) as payments_needing_attention,
           (select count(*) from (select status, attention from payments where status in ('processing', 'pending') and updated_at < ${silentSince}
                                   order by updated_at limit 20000) p where status = 'processing' and not attention) as payments_silent,
           (select count(*) from (select from documents where status = 'processing' limit 10001) d) as documents_waiting,
           (select count(*) from (select from credentials where issued_at is null limit 1001) c) as credentials_unsigned,
           (select extract(epoch from ended_at)::float8 from accrual_runs
             where failed = 0 and as_of >= date_trunc('month', ended_at at time zone 'Europe/London')::date
             order by seq desc limit 1)
             as yield_last_success_timestamp_seconds,
           (select failed from accrual_runs order by seq desc limit 1) as yield_last_run_failed_vaults,
           (select count(*) from (select payment_id from payments where attention limit 1001) p
             join reconciliations r on r.payment_id = p.payment_id and r.status = 'missing') as payments_missing,
           (select extract(epoch from ended_at)::float8 from reconciliation_runs order by seq desc limit 1)
             as reconciliation_last_success_timestamp_seconds,
           (select count(*) from (select from bank_consents where ended_at is null and end_requested_at < now() - interval '1 hour'
                                   limit 1001) c) as bank_consents_not_ended,
           (select count(*) from (select from (select reconfirm_by from bank_connections
                                                where status = 'authorised' and kind = 'accounts'
                                                  and coalesce(synced_at, authorised_at) < now() - interval '2 days'
                                                order by coalesce(synced_at, authorised_at) desc limit 20000) c
                                   where reconfirm_by is null or reconfirm_by >= (select business_today()) limit 1001) c) as bank_connections_unread,
           (select count(*) from (select from bank_syncs where requested_at < now() - interval '1 hour' limit 1001) s) as bank_syncs_late,
           (select jsonb_object_agg(s.status, (select count(*) from (select from bank_connections c where c.status = s.status limit 10001) c))
              from unnest(${CONNECTION_STATUSES}::text[]) as s (status)) as bank_connections`,
);

/** Selects no text entered by the payer. `problem`: what reconciliation found, unless the bank contradicts the record. */
export const paymentsNeedingAttention = query('watch.paymentsNeedingAttention', (most: number) =>
  tables
    .selectFrom('payments as p')
    .innerJoin('payment_attempts as a', (join) =>
      join.onRef('a.payment_id', '=', 'p.payment_id').onRef('a.attempt', '=', 'p.attempt'),
    )
    .select([
      'p.payment_id',
      'p.owner_id',
      'p.amount',
      'p.provider_id',
      'p.attempt',
      'p.status',
      'p.bank_status',
      'p.doubted_by',
      'a.bank_payment_id',
      'p.initiated_at',
      'p.updated_at',
    ])
    .select(
      sql<Problem | null>`(
        select r.problem from reconciliations r where r.payment_id = p.payment_id and not exists (
          select from payment_attempts c where c.payment_id = p.payment_id and c.contradicted))`.as('problem'),
    )
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
