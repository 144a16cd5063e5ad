import type { PaymentFailure, PaymentStatus, ProviderCategory, Submission } from '../../../domain/payments.ts';
import { query } from '../sql.ts';

export interface ProviderRow {
  provider_id: string;
  seq: number;
  held_by: string | null;
  name: string;
  category: ProviderCategory;
  bank_ref: string;
  created_at: string;
}

const PROVIDER = 'select provider_id, seq, held_by, name, category, bank_ref, created_at from providers';

export const providerById = query<ProviderRow>('payments.providerById', `${PROVIDER} where provider_id = $1`);

/** Those of the caller and those for everybody: holder, before this seq, how many. */
export const providersOf = query<ProviderRow>(
  'payments.providersOf',
  `${PROVIDER} where (held_by is null or held_by = $1) and seq < $2 order by seq desc limit $3`,
);

export const insertProvider = query(
  'payments.insertProvider',
  `insert into providers (provider_id, held_by, name, category, bank_ref, created_at)
   values ($1, $2, $3, $4, $5, $6) on conflict (provider_id) do nothing`,
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

const PAYMENT = `select payment_id, seq, owner_id, allocation_id, vault_id, provider_id, category, amount, currency,
    reference, execute_on::text, due_date::text, status, bank_status, attempt, failure, attention, initiated_at,
    estimated_completion, updated_at, version from payments`;

export const paymentById = query<PaymentRow>('payments.byId', `${PAYMENT} where payment_id = $1`);

/** Held until the transaction ends: no other process changes the payment meanwhile. */
export const lockPayment = query<PaymentRow>('payments.lock', `${PAYMENT} where payment_id = $1 for update`);

/** Of the owner or null for all, of the status or null, initiated from and before, before this seq, how many. */
export const listPayments = query<PaymentRow>(
  'payments.list',
  `${PAYMENT} where ($1::text is null or owner_id = $1) and ($2::text is null or status = $2)
     and ($3::timestamptz is null or initiated_at >= $3) and ($4::timestamptz is null or initiated_at < $4)
     and seq < $5 order by seq desc limit $6`,
);

export const insertPayment = query(
  'payments.insert',
  `insert into payments (payment_id, owner_id, allocation_id, vault_id, provider_id, category, amount, currency,
     reference, execute_on, due_date, status, attempt, initiated_at, estimated_completion, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $14, $13)`,
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

export const attemptAtBank = query<AttemptRow>('payments.attemptAtBank', `${ATTEMPT} where bank_payment_id = $1`);

export const insertAttempt = query(
  'payments.insertAttempt',
  'insert into payment_attempts (payment_id, attempt, status, created_at) values ($1, $2, $3, $4)',
);

/** Payment, attempt, status, failure. */
export const concludeAttempt = query(
  'payments.concludeAttempt',
  'update payment_attempts set status = $3, failure = $4::jsonb where payment_id = $1 and attempt = $2',
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

/** Payments on the way that are due by a date and of which nothing was heard for so many seconds: seconds, date, how many. */
export const stalledPayments = query<{ payment_id: string; attempt: number; execute_on: string | null; owner_id: string }>(
  'payments.stalled',
  `select payment_id, attempt, execute_on::text, owner_id from payments
    where status in ('processing', 'pending') and updated_at < now() - make_interval(secs => $1)
      and (execute_on is null or execute_on <= $2::date or status = 'processing')
    order by updated_at limit $3`,
);
