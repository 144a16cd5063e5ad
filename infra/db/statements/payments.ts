import type {
  PaymentFailure,
  PaymentStatus,
  ProviderCategory,
  Submission,
  VouchedBy,
} from '../../../domain/payments.ts';
import { query } from '../sql.ts';
import { appendFrom } from './audit.ts';
import { moveFrom, type LotRow } from './ledger.ts';

export interface ProviderRow {
  provider_id: string;
  seq: number;
  held_by: string | null;
  category: ProviderCategory;
  bank_ref: string;
  vouched_by: VouchedBy | null;
  created_at: string;
  /** Since when nobody pays it any more; null for those that are there. */
  removed_at: string | null;
}

const PROVIDER =
  'select provider_id, seq, held_by, category, bank_ref, vouched_by, created_at, removed_at from providers';

export const providerById = query<ProviderRow>('payments.providerById', `${PROVIDER} where provider_id = $1`);

/** Those of the caller and those for everybody: holder, before this seq, how many. */
export const providersOf = query<ProviderRow>(
  'payments.providersOf',
  `${PROVIDER} where (held_by is null or held_by = $1) and removed_at is null and seq < $2 order by seq desc limit $3`,
);

export const insertProvider = query(
  'payments.insertProvider',
  `insert into providers (provider_id, held_by, category, bank_ref, vouched_by, account_fingerprint, created_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict (provider_id) do nothing`,
);

/** Providers, who vouches for them. Writes nothing where somebody does already. */
export const vouchFor = query(
  'payments.vouchFor',
  'update providers set vouched_by = $2 where provider_id = any ($1::text[]) and vouched_by is null and removed_at is null',
);

/** Nobody pays any more to the payees that somebody added: holder, at. Payments to them stay on record. */
export const removeProvidersOf = query(
  'payments.removeProvidersOf',
  'update providers set removed_at = $2 where held_by = $1 and removed_at is null',
);

/** Payees of an owner's payments that somebody vouches for, but whose accounts have no fingerprint yet. */
export const payeesWithoutFingerprint = query<{ provider_id: string; bank_ref: string }>(
  'payments.payeesWithoutFingerprint',
  `select distinct r.provider_id, r.bank_ref from payments p join providers r using (provider_id)
    where p.owner_id = $1 and r.vouched_by is not null and r.account_fingerprint is null`,
);

/** Provider, fingerprint. Writes nothing where it has one. */
export const setFingerprint = query(
  'payments.setFingerprint',
  'update providers set account_fingerprint = $2 where provider_id = $1 and account_fingerprint is null',
);

export interface PaymentRow {
  payment_id: string;
  seq: number;
  owner_id: string;
  allocation_id: string;
  vault_id: string;
  provider_id: string;
  category: ProviderCategory;
  amount: number;
  currency: string;
  reference: string | null;
  execute_on: string | null;
  due_date: string | null;
  status: PaymentStatus;
  bank_status: string | null;
  attempt: number;
  failure: PaymentFailure | null;
  attention: boolean;
  initiated_at: string;
  estimated_completion: string;
  updated_at: string;
  version: number;
}

const PAYMENT_COLUMNS = [
  'payment_id',
  'seq',
  'owner_id',
  'allocation_id',
  'vault_id',
  'provider_id',
  'category',
  'amount',
  'currency',
  'reference',
  'execute_on::text',
  'due_date::text',
  'status',
  'bank_status',
  'attempt',
  'failure',
  'attention',
  'initiated_at',
  'estimated_completion',
  'updated_at',
  'version',
];

const PAYMENT = `select ${PAYMENT_COLUMNS.join(', ')} from payments`;

export const paymentById = query<PaymentRow>('payments.byId', `${PAYMENT} where payment_id = $1`);

/** A payment with the sending of one of its attempts. */
export type OpenPaymentRow = PaymentRow & { submission: Submission; first_sent_at: string | null; sends: number };

/**
 * Locks the payment's owner, then the payment, until the transaction ends: payment, attempt (null for the current one), at.
 * No row when there is no such payment.
 */
export const openPayment = query<OpenPaymentRow>(
  'payments.open',
  `select ${PAYMENT_COLUMNS.map((column) => `(o.payment).${column}`).join(', ')},
          (o.record).submission, (o.record).first_sent_at, (o.record).sends
     from payment_open($1, $2, $3) o`,
);

/** An owner's payments that wait, oldest first. */
export const pendingPayments = query<{ payment_id: string }>(
  'payments.pending',
  `select payment_id from payments where owner_id = $1 and status = 'pending' order by seq`,
);

/** Held until the transaction ends: no other process changes the payment meanwhile. */
export const lockPayment = query<PaymentRow>('payments.lock', `${PAYMENT} where payment_id = $1 for update`);

/**
 * Marks a payment that nobody has sent yet as being sent, and gives it with its payee's account: payment, attempt. No row
 * where that is not how it stands, or where the payee was removed.
 */
export const claimFresh = query<PaymentRow & { bank_ref: string; sends: number }>(
  'payments.claimFresh',
  `with fresh as materialized (
      ${PAYMENT} where payment_id = $1 and attempt = $2 and status = 'processing' and exists (
        select from providers r where r.provider_id = payments.provider_id and r.removed_at is null) for update
    ), claimed as (
      update payment_attempts a set submission = 'in_doubt', sends = a.sends + 1,
             first_sent_at = coalesce(a.first_sent_at, now())
        from fresh where a.payment_id = $1 and a.attempt = $2 and a.submission = 'none'
      returning a.payment_id, a.sends
    ) select fresh.*, claimed.sends, providers.bank_ref from fresh join claimed using (payment_id) join providers using (provider_id)`,
);

/** Marks an attempt as being sent, perhaps not for the first time: payment, attempt. */
export const claimAgain = query<{ sends: number }>(
  'payments.claimAgain',
  `update payment_attempts set submission = 'in_doubt', sends = sends + 1, first_sent_at = coalesce(first_sent_at, now())
    where payment_id = $1 and attempt = $2 returning sends`,
);

/** A lot with its owner locked, and the payee beside it where there is one: allocation, at, provider. */
export const openLot = query<LotRow & { held_by: string | null; category: ProviderCategory | null }>(
  'payments.openLot',
  `select l.allocation_id, l.owner_id, l.vault_id, l.amount, l.available, l.source, l.created_at, p.held_by, p.category
     from allocation_open($1, $2) l left join providers p on p.provider_id = $3 and p.removed_at is null`,
);

/** What an owner's income is evidenced for, and what the owner's other payments spent: owner, payment or null. */
export const ownerEvidence = query<{ evidenced: number; spent: number }>(
  'payments.ownerEvidence',
  'select * from owner_evidence($1, $2)',
);

/** $1 of the status or null, $2 and $3 initiated from and before or null, $4 before this seq, $5 how many. */
const PAGE = `($1::text is null or status = $1) and ($2::timestamptz is null or initiated_at >= $2)
     and ($3::timestamptz is null or initiated_at < $3) and seq < $4`;

export const allPayments = query<PaymentRow>('payments.all', `${PAYMENT} where ${PAGE} order by seq desc limit $5`);

/** $6 the application. Persons belong to none. */
export const paymentsOfApplication = query<PaymentRow>(
  'payments.ofApplication',
  `${PAYMENT} where ${PAGE} and not starts_with(owner_id, 'usr_') and application_of_owner(owner_id) = $6
   order by seq desc limit $5`,
);

/** A statement of its own, $6 the owner, so that its plan goes by the owner's index. */
export const paymentsOfOwner = query<PaymentRow>(
  'payments.ofOwner',
  `${PAYMENT} where owner_id = $6 and ${PAGE} order by seq desc limit $5`,
);

/**
 * What a payment ($1) leaves behind whenever it changes, beside its movement at $2: $3 status, $4 attempt, $5 what the
 * timeline says, $6-$9 the audit event (id, kind, actor, data). The statement has to ask for `audit`, or there is no event.
 */
const TRACES = `event as (
      insert into payment_events (payment_id, status, attempt, detail, created_at) values ($1, $3, $4, $5, $2)
    ), audit as (
      select ${appendFrom([
        'array[$6::text]',
        'array[$1::text]',
        'array[$7::text]',
        'array[$8::text]',
        'array[$9::text]',
        'array[$2::timestamptz]',
      ])} as events
    )`;

/**
 * A new payment with its movement, its first attempt, its traces and the start of its workflow: $10-$18 the payment
 * (allocation, vault, provider, category, amount, reference, execution and due date, estimated completion), $19 the message, $20 the
 * owner, from $21 on what it moves.
 */
export const insertPayment = query(
  'payments.insert',
  `with ${TRACES}, payment as (
      insert into payments (payment_id, owner_id, status, attempt, allocation_id, vault_id, provider_id, category, amount,
        currency, reference, execute_on, due_date, estimated_completion, initiated_at, updated_at)
      values ($1, $20, $3, $4, $10, $11, $12, $13, $14, 'GBP', $15, $16, $17, $18, $2, $2)
    ), attempt as (
      insert into payment_attempts (payment_id, attempt, status, created_at) values ($1, $4, $3, $2)
    ), message as (
      insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
      values ('payment.start', $1, $19::jsonb, now(), now())
    ) select ${moveFrom(21)} as balances, events from audit`,
);

/**
 * A change of a payment with its movement and its traces: $10 bank status, $11 failure, $12 attention, $13 estimated
 * completion; $14 the attempt's submission and $15 the bank's id of it, null for as they are; $16 the message to the
 * attempt's workflow where that waits for one, or null. `told` says whether it was sent.
 */
export const changePayment = query<{ told: boolean }>(
  'payments.change',
  `with ${TRACES}, payment as (
      update payments set status = $3, attempt = $4, bank_status = $10, failure = $11::jsonb, attention = $12,
             estimated_completion = $13, updated_at = $2 where payment_id = $1
    ), attempt as (
      update payment_attempts
         set status = $3, failure = $11::jsonb, submission = coalesce($14, submission),
             bank_payment_id = coalesce($15, bank_payment_id),
             first_sent_at = case when $14 is null then first_sent_at when $14 = 'none' then null
                                  else coalesce(first_sent_at, now()) end
       where payment_id = $1 and attempt = $4 returning awaited
    ), message as (
      insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
      select 'payment.changed', $1, $16::jsonb, now(), now() from attempt where awaited and $16::jsonb is not null
      returning 1
    ), moved as (select ${moveFrom(17)} as balances)
    select exists (select from message) as told, moved.balances, events from moved, audit`,
);

/** Id, status, bank status, failure, attention, attempt, estimated completion, at. */
export const updatePayment = query(
  'payments.update',
  `update payments set status = $2, bank_status = $3, failure = $4::jsonb, attention = $5, attempt = $6,
     estimated_completion = $7, updated_at = $8 where payment_id = $1`,
);

export interface AttemptRow {
  payment_id: string;
  attempt: number;
  status: PaymentStatus;
  submission: Submission;
  bank_payment_id: string | null;
  first_sent_at: string | null;
  failure: PaymentFailure | null;
  awaited: boolean;
  created_at: string;
}

const ATTEMPT = `select payment_id, attempt, status, submission, bank_payment_id, first_sent_at, failure, awaited,
    created_at from payment_attempts`;

export const attemptsOf = query<AttemptRow>('payments.attempts', `${ATTEMPT} where payment_id = $1 order by attempt`);

export const attemptOf = query<AttemptRow>('payments.attempt', `${ATTEMPT} where payment_id = $1 and attempt = $2`);

/** The attempt that the bank knows by this id, and how its payment stands. */
export const attemptAtBank = query<{
  payment_id: string;
  attempt: number;
  current_attempt: number;
  payment_status: PaymentStatus;
}>(
  'payments.attemptAtBank',
  `select a.payment_id, a.attempt, p.attempt as current_attempt, p.status as payment_status
     from payment_attempts a join payments p using (payment_id) where a.bank_payment_id = $1`,
);

export const insertAttempt = query(
  'payments.insertAttempt',
  'insert into payment_attempts (payment_id, attempt, status, created_at) values ($1, $2, $3, $4)',
);

/** Payment, attempt, submission, bank's id. `first_sent_at` is set by the first change away from none. */
export const changeSubmission = query(
  'payments.changeSubmission',
  `update payment_attempts set submission = $3, bank_payment_id = coalesce($4, bank_payment_id),
     first_sent_at = case when $3 = 'none' then null else coalesce(first_sent_at, now()) end
   where payment_id = $1 and attempt = $2`,
);

/** The workflow of the attempt waits to be told; whoever settles the payment tells it. */
export const awaitAttempt = query(
  'payments.awaitAttempt',
  'update payment_attempts set awaited = true where payment_id = $1 and attempt = $2',
);

export const insertEvent = query(
  'payments.insertEvent',
  'insert into payment_events (payment_id, status, attempt, detail, created_at) values ($1, $2, $3, $4, $5)',
);

export interface EventRow {
  status: PaymentStatus;
  attempt: number;
  detail: string;
  created_at: string;
}

export const eventsOf = query<EventRow>(
  'payments.events',
  'select status, attempt, detail, created_at from payment_events where payment_id = $1 order by seq',
);

/** Attempts of a payment that the bank contradicted since an operator last acknowledged a contradiction. */
export const contradictedAttempts = query<{ attempt: number }>(
  'payments.contradictedAttempts',
  `select distinct (c.data->>'attempt')::int as attempt from audit_events c
    where c.subject = $1 and c.kind = 'payment.contradiction' and not exists (
      select from audit_events a
       where a.subject = $1 and a.kind = 'payment.acknowledged' and a.subject_seq > c.subject_seq)`,
);

/**
 * Payments on the way that are due by a date and of which nothing was heard since an instant: instant, date, how many.
 * Those that wait for an operator come last, so that many of them do not keep the others from being started again.
 */
export const stalledPayments = query<{
  payment_id: string;
  attempt: number;
  execute_on: string | null;
  owner_id: string;
}>(
  'payments.stalled',
  `select payment_id, attempt, execute_on::text, owner_id from payments
    where status in ('processing', 'pending') and updated_at < $1
      and (execute_on is null or execute_on <= $2::date or status = 'processing')
    order by attention, updated_at limit $3`,
);
