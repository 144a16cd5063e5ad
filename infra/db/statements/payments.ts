import { sql, type RawBuilder } from 'kysely';
import type { PaymentFailure, PaymentStatus, ProviderCategory, Submission } from '../../../domain/payments.ts';
import { json } from '../lists.ts';
import { insertion, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import { appended, type AuditLine } from './audit.ts';
import { moved, type LotRow, type Moved } from './ledger.ts';

export type PaymentRow = Row<'payments'>;

// Literals, because PostgreSQL would not use the partial indexes on the status with parameters.
const PENDING = sql.lit<PaymentStatus>('pending');
const PROCESSING = sql.lit<PaymentStatus>('processing');

const PAYMENT = columnsOf('payments');
const payments = () => tables.selectFrom('payments').select(PAYMENT);

export const paymentById = query('payments.byId', (paymentId: string) =>
  payments().where('payment_id', '=', paymentId),
);

export type OpenPaymentRow = PaymentRow & { submission: Submission; first_sent_at: string | null; sends: number };

/** Locks the owner, then the payment. A null `attempt` means the current attempt. */
export const openPayment = query(
  'payments.open',
  ({ payment_id, attempt, at }: { payment_id: string; attempt: number | null; at: Date }) => sql<OpenPaymentRow>`
    select ${sql.join(PAYMENT.map((column) => sql`(o.payment).${sql.ref(column)}`))},
           (o.record).submission, (o.record).first_sent_at, (o.record).sends
      from payment_open(${payment_id}, ${attempt}, ${at}) o`,
);

export const pendingPayments = query('payments.pending', (ownerId: string) =>
  tables
    .selectFrom('payments')
    .select('payment_id')
    .where('owner_id', '=', ownerId)
    .where('status', '=', PENDING)
    .orderBy('seq'),
);

/** Pending payments whose attempt one of the token families requested. */
export const pendingPaymentsOfFamilies = query(
  'payments.pendingOfFamilies',
  (ownerId: string, familyIds: readonly string[]) => sql<{ payment_id: string }>`
    select p.payment_id from payments p
     where p.owner_id = ${ownerId} and p.status = 'pending' and exists (
       select from audit_events e
        where e.subject = p.payment_id and e.kind in ('payment.pending', 'payment.processing')
          and (e.data ->> 'attempt')::int = p.attempt and e.data ->> 'family_id' = any(${familyIds}::text[]))
     order by p.seq`,
);

export const lockPayment = query('payments.lock', (paymentId: string) =>
  payments().where('payment_id', '=', paymentId).forUpdate(),
);

interface AttemptId {
  payment_id: string;
  attempt: number;
}

/** Returns no row unless the attempt is current, processing and unsent, and its payee is not removed. */
export const claimFresh = query(
  'payments.claimFresh',
  ({ payment_id, attempt }: AttemptId) => sql<PaymentRow & { bank_ref: string; sends: number }>`
    with fresh as materialized (
      select ${sql.join(PAYMENT.map((column) => sql.ref(column)))} from payments
       where payment_id = ${payment_id} and attempt = ${attempt} and status = 'processing' and exists (
         select from providers r where r.provider_id = payments.provider_id and r.removed_at is null) for update
    ), claimed as (
      update payment_attempts a set submission = 'in_doubt', sends = a.sends + 1,
             first_sent_at = coalesce(a.first_sent_at, now())
        from fresh where a.payment_id = ${payment_id} and a.attempt = ${attempt} and a.submission = 'none'
      returning a.payment_id, a.sends
    ) select fresh.*, claimed.sends, providers.bank_ref from fresh join claimed using (payment_id) join providers using (provider_id)`,
);

const updatingAttempt = ({ payment_id, attempt }: AttemptId) =>
  tables.updateTable('payment_attempts').where('payment_id', '=', payment_id).where('attempt', '=', attempt);

export const claimAgain = query('payments.claimAgain', (id: AttemptId) =>
  updatingAttempt(id)
    .set(({ eb }) => ({ submission: 'in_doubt', sends: eb('sends', '+', 1), first_sent_at: firstSent('in_doubt') }))
    .returning('sends'),
);

/** Locks the lot's owner. Payee fields are null for a missing or removed payee. */
export const openLot = query(
  'payments.openLot',
  (allocationId: string, at: Date, providerId: string) => sql<
    LotRow & { held_by: string | null; category: ProviderCategory | null }
  >`
    select l.allocation_id, l.owner_id, l.vault_id, l.amount, l.available, l.source, l.created_at, p.held_by, p.category
      from allocation_open(${allocationId}, ${at}) l
      left join providers p on p.provider_id = ${providerId} and p.removed_at is null`,
);

/** `evidenced` is asserted income, plus interest if all income is asserted. `spent` leaves out `paymentId`. */
export const ownerEvidence = query(
  'payments.ownerEvidence',
  (ownerId: string, paymentId: string | null) => sql<{ evidenced: number; spent: number }>`
    select * from owner_evidence(${ownerId}, ${paymentId})`,
);

/** In pence. Leaves out failed and cancelled attempts. */
export const askedSince = query('payments.askedSince', (ownerId: string, since: Date) =>
  tables
    .selectFrom('payments as p')
    .innerJoin('payment_attempts as a', 'a.payment_id', 'p.payment_id')
    .select(sql<number>`coalesce(sum(p.amount), 0)::bigint`.as('used'))
    .where('p.owner_id', '=', ownerId)
    .where('p.updated_at', '>=', since.toISOString())
    .where('a.created_at', '>=', since.toISOString())
    .where('a.status', 'not in', ['failed', 'cancelled']),
);

/** `from` is inclusive. `to` and `before` are exclusive. */
interface PaymentsWanted {
  owner: string | undefined;
  /** Selects payments of the application's owners, but not of people who have an account. */
  application: string | undefined;
  status: PaymentStatus | undefined;
  from: Date | undefined;
  to: Date | undefined;
  before: number;
  most: number;
}

export const paymentsWanted = query(
  'payments.wanted',
  ({ owner, application, status, from, to, before, most }: PaymentsWanted) =>
    payments()
      .where('seq', '<', before)
      .$if(owner !== undefined, (found) => found.where('owner_id', '=', owner!))
      .$if(application !== undefined, (found) =>
        found.where(
          sql<boolean>`not starts_with(owner_id, 'usr_') and application_of_owner(owner_id) = ${application}`,
        ),
      )
      .$if(status !== undefined, (found) => found.where('status', '=', status!))
      .$if(from !== undefined, (found) => found.where('initiated_at', '>=', from!.toISOString()))
      .$if(to !== undefined, (found) => found.where('initiated_at', '<', to!.toISOString()))
      .orderBy('seq', 'desc')
      .limit(most),
);

export interface Traces {
  payment_id: string;
  status: PaymentStatus;
  attempt: number;
  detail: string;
  at: Date;
  audit: AuditLine;
}

/** The query must select from `audit`, or no audit event is written. */
const traces = ({ payment_id, status, attempt, detail, at, audit }: Traces): RawBuilder<unknown> => sql`
  event as (
    insert into payment_events (payment_id, status, attempt, detail, created_at)
    values (${payment_id}, ${status}, ${attempt}, ${detail}, ${at})
  ), audit as (select ${appended([audit])} as events)`;

export const insertPayment = query(
  'payments.insert',
  (payment: PaymentRow, { message, movement, ...left }: Traces & { message: object; movement: Moved }) => sql`
    with ${traces(left)}, payment as (
      insert into payments (payment_id, owner_id, status, attempt, allocation_id, vault_id, provider_id, category, amount,
        currency, reference, execute_on, due_date, estimated_completion, initiated_at, updated_at)
      values (${payment.payment_id}, ${payment.owner_id}, ${left.status}, ${left.attempt}, ${payment.allocation_id},
        ${payment.vault_id}, ${payment.provider_id}, ${payment.category}, ${payment.amount}, 'GBP', ${payment.reference},
        ${payment.execute_on}, ${payment.due_date}, ${payment.estimated_completion}, ${left.at}, ${left.at})
    ), attempt as (
      insert into payment_attempts (payment_id, attempt, status, created_at)
      values (${payment.payment_id}, ${left.attempt}, ${left.status}, ${left.at})
    ), message as (
      insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
      values ('payment.start', ${payment.payment_id}, ${json(message)}, now(), now())
    ) select ${moved([movement])} as balances, events from audit`,
);

interface StoredChange extends Traces {
  bank_status: string | null;
  failure: PaymentFailure | null;
  attention: boolean;
  estimated_completion: string;
  /** A null `submission` or `bank_payment_id` leaves the value unchanged. */
  submission: Submission | null;
  bank_payment_id: string | null;
  /** Sent only if the attempt's workflow waits for a signal. */
  message: object | null;
  movement: Moved;
}

/** `told`: a message for the payment's workflow was queued. */
export const changePayment = query(
  'payments.change',
  ({ submission, bank_payment_id, movement, ...change }: StoredChange) => sql<{ told: boolean }>`
    with ${traces(change)}, payment as (
      update payments set status = ${change.status}, attempt = ${change.attempt}, bank_status = ${change.bank_status},
             failure = ${json(change.failure)}, attention = ${change.attention},
             estimated_completion = ${change.estimated_completion}, updated_at = ${change.at}
       where payment_id = ${change.payment_id}
    ), attempt as (
      update payment_attempts
         set status = ${change.status}, failure = ${json(change.failure)}, submission = coalesce(${submission}, submission),
             bank_payment_id = coalesce(${bank_payment_id}, bank_payment_id), first_sent_at = ${firstSent(submission)}
       where payment_id = ${change.payment_id} and attempt = ${change.attempt} returning awaited
    ), message as (
      insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
      select 'payment.changed', ${change.payment_id}, ${json(change.message)}, now(), now() from attempt
       where awaited and ${change.message !== null}
      returning 1
    ), moved as (select ${moved([movement])} as balances)
    select exists (select from message) as told, moved.balances, events from moved, audit`,
);

function firstSent(submission: Submission | null): RawBuilder<string | null> {
  if (submission === null) return sql`first_sent_at`;
  return submission === 'none' ? sql`null` : sql`coalesce(first_sent_at, now())`;
}

export const updatePayment = query(
  'payments.update',
  (paymentId: string, { attention, bank_status, at }: { attention: boolean; bank_status: string | null; at: Date }) =>
    tables
      .updateTable('payments')
      .set({ attention, bank_status, updated_at: at.toISOString() })
      .where('payment_id', '=', paymentId),
);

const attempts = () => tables.selectFrom('payment_attempts').select(columnsOf('payment_attempts'));

export const attemptsOf = query('payments.attempts', (paymentId: string) =>
  attempts().where('payment_id', '=', paymentId).orderBy('attempt'),
);

export const attemptOf = query('payments.attempt', ({ payment_id, attempt }: AttemptId) =>
  attempts().where('payment_id', '=', payment_id).where('attempt', '=', attempt),
);

const knownAttempts = () =>
  tables
    .selectFrom('payment_attempts as a')
    .innerJoin('payments as p', 'p.payment_id', 'a.payment_id')
    .select(['a.payment_id', 'a.attempt', 'p.attempt as current_attempt', 'p.status as payment_status']);

export const attemptAtBank = query('payments.attemptAtBank', (bankPaymentId: string) =>
  knownAttempts().where('a.bank_payment_id', '=', bankPaymentId),
);

/** Returns no row if the bank's id of the attempt is stored. */
export const attemptWithoutBankId = query('payments.attemptWithoutBankId', ({ payment_id, attempt }: AttemptId) =>
  knownAttempts()
    .where('a.payment_id', '=', payment_id)
    .where('a.attempt', '=', attempt)
    .where('a.bank_payment_id', 'is', null),
);

export const insertAttempt = insertion('payments.insertAttempt', 'payment_attempts');

export const changeSubmission = query(
  'payments.changeSubmission',
  (id: AttemptId, submission: Submission, bankPaymentId: string | null) =>
    updatingAttempt(id).set(({ fn }) => ({
      submission,
      bank_payment_id: fn.coalesce(sql<string | null>`${bankPaymentId}`, 'bank_payment_id'),
      first_sent_at: firstSent(submission),
    })),
);

/** Lets `changePayment` queue a signal for the attempt's workflow. */
export const awaitAttempt = query('payments.awaitAttempt', (id: AttemptId) =>
  updatingAttempt(id).set({ awaited: true }),
);

export const insertEvent = insertion('payments.insertEvent', 'payment_events');

export const eventsOf = query('payments.events', (paymentId: string) =>
  tables
    .selectFrom('payment_events')
    .select(['status', 'attempt', 'detail', 'created_at'])
    .where('payment_id', '=', paymentId)
    .orderBy('seq'),
);

/** Attempts that the bank has contradicted since an operator last acknowledged a contradiction. */
export const contradictedAttempts = query(
  'payments.contradictedAttempts',
  (paymentId: string) => sql<{ attempt: number }>`
    select distinct (c.data->>'attempt')::int as attempt from audit_events c
     where c.subject = ${paymentId} and c.kind = 'payment.contradiction' and not exists (
       select from audit_events a
        where a.subject = ${paymentId} and a.kind = 'payment.acknowledged' and a.subject_seq > c.subject_seq)`,
);

/** `dueBy` limits pending payments. Payments that wait for an operator come last. */
export const stalledPayments = query(
  'payments.stalled',
  ({ silentSince, dueBy, most }: { silentSince: Date; dueBy: string; most: number }) =>
    tables
      .selectFrom('payments')
      .select(['payment_id', 'attempt', 'execute_on', 'owner_id'])
      .where('status', 'in', [PROCESSING, PENDING])
      .where('updated_at', '<', silentSince.toISOString())
      .where(({ eb, or }) =>
        or([eb('execute_on', 'is', null), eb('execute_on', '<=', dueBy), eb('status', '=', PROCESSING)]),
      )
      .orderBy('attention')
      .orderBy('updated_at')
      .limit(most),
);
