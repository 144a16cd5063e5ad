import { sql, type RawBuilder } from 'kysely';
import type { OutboxKind } from '../../../domain/frozen-strings.ts';
import type { PaymentStatus, Submission } from '../../../domain/payments.ts';
import { BORN_IN_DOUBT } from '../../../domain/restore/doubt.ts';
import { json } from '../lists.ts';
import { MoneyQuery } from '../locked-owner.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';
import { recording, type AuditLine } from './audit.ts';
import type { Moved } from './ledger.ts';
import { partyOf } from './outbox.ts';
import { storing, type StoredOutcome } from './payment-outcomes.ts';
import type { AttemptId, LockedPayment, PaymentRow } from './payments.ts';

/** What one change of a payment leaves behind. */
interface Traces {
  /** The line in the payment's timeline. */
  event: { payment_id: string; status: PaymentStatus; attempt: number; detail: string };
  audit: AuditLine;
  movement: Moved | null;
  /** Notifies the payment's workflow. Null if it need not know. */
  message: object | null;
  at: Date;
}

const timeline = ({ event: { payment_id, status, attempt, detail }, at }: Pick<Traces, 'event' | 'at'>) => sql`
  insert into payment_events (payment_id, status, attempt, detail, created_at)
  values (${payment_id}, ${status}, ${attempt}, ${detail}, ${at})`;

const messageTo = (kind: OutboxKind, paymentId: string, message: object) => sql`
  insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
  values (${kind}, ${paymentId}, ${json(message)}, now(), now())`;

const start = ({ payment_id, owner_id }: PaymentRow, { requested_by }: OrderedBy, message: object) => sql`
  insert into outbox_messages (kind, workflow_id, payload, available_at, created_at, party, owner_id)
  values ('payment.start', ${payment_id}, ${json(message)}, now(), now(),
    ${partyOf(sql`${requested_by}`, sql`${owner_id}`)}, ${owner_id})`;

/** Who ordered an attempt. The last two are null unless a person ordered it, through a client and a sign-in. */
export type OrderedBy = Pick<Row<'payment_attempts'>, 'requested_by' | 'client_id' | 'family_id'>;

interface AttemptBy {
  orderedBy: OrderedBy;
  /** The bank that the attempt goes to. */
  bankId: string;
}

const attemptBy = (payment: PaymentRow, { orderedBy, bankId }: AttemptBy, at: Date) => sql`
  insert into payment_attempts (payment_id, attempt, bank_id, status, created_at, requested_by, client_id, family_id)
  values (${payment.payment_id}, ${payment.attempt}, ${bankId}, ${payment.status}, ${at}, ${orderedBy.requested_by},
    ${orderedBy.client_id}, ${orderedBy.family_id})`;

interface NewPayment extends Traces, AttemptBy {
  payment: PaymentRow;
  message: object;
}

export const insertPayment = (made: NewPayment) => new MoneyQuery(made.payment.owner_id, insert(made));

const insert = query('payments.insert', ({ payment, orderedBy, bankId, ...left }: NewPayment) =>
  recording({
    ...left,
    changes: {
      payment: sql`
        insert into payments (payment_id, owner_id, status, attempt, allocation_id, vault_id, provider_id, category, amount,
          currency, reference, connection_id, counts_on, execute_on, due_date, estimated_completion, initiated_at, updated_at,
          doubted_by, attention)
        select ${payment.payment_id}, ${payment.owner_id}, ${payment.status}, ${payment.attempt}, ${payment.allocation_id},
          ${payment.vault_id}, ${payment.provider_id}, ${payment.category}, ${payment.amount}, 'GBP', ${payment.reference},
          ${payment.connection_id}, ${payment.counts_on}, ${payment.execute_on}, ${payment.due_date}, ${payment.estimated_completion}, ${left.at}, ${left.at},
          lost.restore_id, lost.restore_id is not null
          from (select) one left join (
            select restore_id from restore_debits where amount = ${payment.amount} and explained_at is null limit 1) lost on true
        returning doubted_by`,
      attempt: attemptBy(payment, { orderedBy, bankId }, left.at),
      event: sql`
        insert into payment_events (payment_id, status, attempt, detail, created_at)
        select ${payment.payment_id}, ${payment.status}, ${payment.attempt},
               case when doubted_by is null then ${left.event.detail} else ${BORN_IN_DOUBT} end, ${left.at} from payment`,
      message: start(payment, orderedBy, left.message),
    },
    result: sql`true as stored`,
  }),
);

interface StoredChange extends Traces {
  /** The payment after the change. */
  payment: LockedPayment;
  /** Null leaves the attempt's submission or bank id unchanged. */
  submission: Submission | null;
  bank_payment_id: string | null;
  outcome: StoredOutcome | null;
  /** If false, sends the message only if the attempt's workflow waits for a signal. */
  notify: boolean;
}

/** `queued`: a message was queued. */
export const changePayment = (change: StoredChange) => new MoneyQuery(change.payment.owner_id, store(change));

const updating = (payment: PaymentRow, at: Date, more: RawBuilder<unknown> = sql``) => sql`
  update payments set status = ${payment.status}, attempt = ${payment.attempt}, bank_status = ${payment.bank_status},
         failure = ${json(payment.failure)}, attention = ${payment.attention},
         estimated_completion = ${payment.estimated_completion}, doubted_by = ${payment.doubted_by}, updated_at = ${at}${more}
   where payment_id = ${payment.payment_id}`;

/** Another account may pay the new attempt. */
const paidBy = ({ connection_id, counts_on }: PaymentRow) =>
  sql`, connection_id = ${connection_id}, counts_on = ${counts_on}`;

const store = query(
  'payments.change',
  ({ payment, submission, bank_payment_id, outcome, notify, ...left }: StoredChange) =>
    recording<{ queued: boolean }>({
      ...left,
      changes: {
        payment: updating(payment, left.at),
        attempt: sql`
        update payment_attempts
           set status = ${payment.status}, failure = ${json(payment.failure)}, submission = coalesce(${submission}, submission),
               bank_payment_id = coalesce(${bank_payment_id}, bank_payment_id), first_sent_at = ${firstSent(submission)}
         where payment_id = ${payment.payment_id} and attempt = ${payment.attempt} returning awaited`,
        event: timeline(left),
        message: sql`
        insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
        select 'payment.changed', ${payment.payment_id}, ${json(left.message)}, now(), now() from attempt
         where (awaited or ${notify}) and ${left.message !== null}
        returning 1`,
        ...(outcome !== null && { outcome: storing(outcome) }),
      },
      result: sql`exists (select from message) as queued`,
    }),
);

interface NewAttempt extends Traces, AttemptBy {
  /** The payment with its new attempt. */
  payment: LockedPayment;
  message: object;
}

/** Starts the new attempt's workflow. */
export const insertAttempt = (made: NewAttempt) => new MoneyQuery(made.payment.owner_id, tryAgain(made));

const tryAgain = query('payments.insertAttempt', ({ payment, orderedBy, bankId, ...left }: NewAttempt) =>
  recording({
    ...left,
    changes: {
      payment: updating(payment, left.at, paidBy(payment)),
      attempt: attemptBy(payment, { orderedBy, bankId }, left.at),
      event: timeline(left),
      message: start(payment, orderedBy, left.message),
    },
    result: sql`true as stored`,
  }),
);

interface Marked {
  /** The payment after the change. Neither its status nor its money changes. */
  payment: LockedPayment;
  at: Date;
  event: Traces['event'] | null;
  audit: AuditLine | null;
  message: object | null;
  /** The attempt that the bank has contradicted, `none` if an operator acknowledges all, or null for no change. */
  contradicted: number | 'none' | null;
}

/** Stores `attention` and `bank_status`. */
export const markPayment = (marked: Marked) => new MoneyQuery(marked.payment.owner_id, mark(marked));

const mark = query('payments.mark', ({ payment, at, event, audit, message, contradicted }: Marked) =>
  recording({
    audit,
    movement: null,
    changes: {
      payment: sql`
        update payments set attention = ${payment.attention}, bank_status = ${payment.bank_status},
               doubted_by = ${payment.doubted_by}, updated_at = ${at}
         where payment_id = ${payment.payment_id}`,
      ...(contradicted !== null && { attempts: contradiction(payment.payment_id, contradicted) }),
      ...(event !== null && { event: timeline({ event, at }) }),
      ...(message !== null && { message: messageTo('payment.changed', payment.payment_id, message) }),
    },
    result: sql`true as stored`,
  }),
);

function firstSent(submission: Submission | null): RawBuilder<string | null> {
  if (submission === null) return sql`first_sent_at`;
  return submission === 'none' ? sql`null` : sql`coalesce(first_sent_at, now())`;
}

const contradiction = (paymentId: string, which: number | 'none') =>
  which === 'none'
    ? sql`update payment_attempts set contradicted = false where payment_id = ${paymentId} and contradicted`
    : sql`update payment_attempts set contradicted = true where payment_id = ${paymentId} and attempt = ${which}`;

interface ChangedSubmission {
  payment: LockedPayment;
  attempt: number;
  submission: Submission;
  /** Null leaves the bank's id unchanged. */
  bank_payment_id: string | null;
}

export const changeSubmission = (change: ChangedSubmission) =>
  new MoneyQuery(change.payment.owner_id, submissionOf(change));

const submissionOf = query(
  'payments.changeSubmission',
  ({ payment: { payment_id }, attempt, submission, bank_payment_id }: ChangedSubmission) =>
    updatingAttempt({ payment_id, attempt }).set(({ fn }) => ({
      submission,
      bank_payment_id: fn.coalesce(sql<string | null>`${bank_payment_id}`, 'bank_payment_id'),
      first_sent_at: firstSent(submission),
    })),
);

const updatingAttempt = ({ payment_id, attempt }: AttemptId) =>
  tables.updateTable('payment_attempts').where('payment_id', '=', payment_id).where('attempt', '=', attempt);

export const claimAgain = (payment: LockedPayment) => new MoneyQuery(payment.owner_id, claim(payment));

const claim = query('payments.claimAgain', (id: AttemptId) =>
  updatingAttempt(id)
    .set(({ eb }) => ({ submission: 'in_doubt', sends: eb('sends', '+', 1), first_sent_at: firstSent('in_doubt') }))
    .returning('sends'),
);

/** The day in whose month the payment counts towards the limits of its connection. */
export const countOn = (payment: LockedPayment, day: string) => new MoneyQuery(payment.owner_id, count(payment, day));

const count = query('payments.countOn', ({ payment_id }: Pick<PaymentRow, 'payment_id'>, day: string) =>
  tables
    .updateTable('payments')
    .set({ counts_on: day })
    .where('payment_id', '=', payment_id)
    .where('connection_id', 'is not', null)
    .where('counts_on', '<>', day),
);
