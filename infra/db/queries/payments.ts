import { sql } from 'kysely';
import type { PaymentStatus, PayeeCategory, Submission } from '../../../domain/payments.ts';
import { OwnerLock, type Locked } from '../locked-owner.ts';
import { query } from '../query.ts';
import { MACED_PAYEE, type AssertedRow, type MacedOutcome, type MacedPayee } from './macs.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import type { AllocationRow } from './ledger.ts';

export type PaymentRow = Row<'payments'>;

// Literals, because PostgreSQL would not use the partial indexes on the status with parameters.
const PENDING = sql.lit<PaymentStatus>('pending');
const PROCESSING = sql.lit<PaymentStatus>('processing');

const PAYMENT = columnsOf('payments');
const payments = () => tables.selectFrom('payments').select(PAYMENT);

export const paymentById = query('payments.byId', (paymentId: string) =>
  payments().where('payment_id', '=', paymentId),
);

/** The last four are those of the attempt. */
export type OpenPaymentRow = PaymentRow & {
  submission: Submission;
  first_sent_at: string | null;
  sends: number;
  bank_id: string;
};

/** A payment that the transaction has locked, together with its owner. */
export type LockedPayment = Locked<OpenPaymentRow>;

interface PaymentToOpen {
  payment_id: string;
  /** Whose submission to return. Null means the current attempt. */
  attempt: number | null;
  at: Date;
}

/** Locks the owner first, then the payment, as every movement of a payment's money does. */
export const openPayment = (requested: PaymentToOpen) => new OwnerLock(open(requested), ({ owner_id }) => owner_id);

const open = query(
  'payments.open',
  ({ payment_id, attempt, at }: PaymentToOpen) => sql<OpenPaymentRow>`
    select ${sql.join(PAYMENT.map((column) => sql`(o.payment).${sql.ref(column)}`))},
           (o.record).submission, (o.record).first_sent_at, (o.record).sends, (o.record).bank_id
      from payment_open(${payment_id}, ${attempt}, ${at}) o`,
);

export const pendingPayments = query('payments.pending', (ownerId: string) =>
  tables
    .selectFrom('payments')
    .select('payment_id')
    .where('owner_id', '=', ownerId)
    .where('status', '=', PENDING)
    .where('doubted_by', 'is', null)
    .orderBy('seq'),
);

/** Pending payments whose attempt a sign-in of one of the token families requested. */
export const pendingPaymentsOfFamilies = query(
  'payments.pendingOfFamilies',
  (ownerId: string, familyIds: readonly string[]) =>
    tables
      .selectFrom('payments as p')
      .innerJoin('payment_attempts as a', (join) =>
        join.onRef('a.payment_id', '=', 'p.payment_id').onRef('a.attempt', '=', 'p.attempt'),
      )
      .select('p.payment_id')
      .where('p.owner_id', '=', ownerId)
      .where('p.status', '=', PENDING)
      .where('p.doubted_by', 'is', null)
      .where('a.family_id', '=', sql<string>`any(${familyIds}::text[])`)
      .orderBy('p.seq'),
);

export interface AttemptId {
  payment_id: string;
  attempt: number;
}

/** Whether the payee `r` may get a payment of the owner that the caller ordered. A key is known by its lineage. */
export const isPayable = (owner: string, caller: string) => sql<boolean>`
  r.removed_at is null and not r.confirm_before_pay and (r.held_by is null or r.held_by = ${sql.ref(owner)}
    or exists (select from api_keys k where k.lineage = ${sql.ref(caller)} and k.app_id = r.held_by))`;

/** Whether the payee `r` may get the payment `p`, as when its attempt `a` was ordered. */
const IS_PAYABLE = isPayable('p.owner_id', 'a.requested_by');

/** The payee stays as it is until the transaction ends. */
export const payeeOfAttempt = query(
  'payments.payeeOfAttempt',
  ({ payment_id, attempt }: AttemptId) => sql<MacedPayee & { payable: boolean }>`
    select ${MACED_PAYEE}, ${IS_PAYABLE} as payable
      from payments p join payment_attempts a on a.payment_id = p.payment_id and a.attempt = ${attempt}
      join payees r on r.provider_id = p.provider_id
     where p.payment_id = ${payment_id} for key share of r`,
);

interface FreshAttempt extends AttemptId {
  /** The bank of the house account, and all banks by which a payment can be sent now. */
  house: string | null;
  banks: readonly string[];
}

/**
 * Returns no row unless the attempt is current, processing and unsent, and its bank known.
 * Its payee must be payable, its owner not disabled, and its connection authorised and in the month of its limits.
 */
export const claimFresh = query(
  'payments.claimFresh',
  ({ payment_id, attempt, house, banks }: FreshAttempt) => sql<
    PaymentRow & { payee: MacedPayee; sends: number; bank_id: string }
  >`
    with fresh as materialized (
      select ${sql.join(PAYMENT.map((column) => sql.ref(`p.${column}`)))}, (select to_jsonb(maced) from (select ${MACED_PAYEE}) maced) as payee
        from payments p join payees r on r.provider_id = p.provider_id
        join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
       where p.payment_id = ${payment_id} and p.attempt = ${attempt} and p.status = 'processing' and p.doubted_by is null
         and ${IS_PAYABLE}
         and not exists (select from users u where u.user_id = p.owner_id and u.disabled_at is not null)
         and not exists (select from restores where ended_at is null)
         and case when p.connection_id is null then a.bank_id = ${house}
             else a.bank_id = any(${banks}::text[]) and p.counts_on = business_today() and exists (
               select from bank_connections c where c.connection_id = p.connection_id and c.owner_id = p.owner_id
                  and connection_status(c.status, c.authorise_until, c.valid_until) = 'authorised') end
         for update of p for key share of r
    ), claimed as (
      update payment_attempts a set submission = 'in_doubt', sends = a.sends + 1,
             first_sent_at = coalesce(a.first_sent_at, now())
        from fresh where a.payment_id = ${payment_id} and a.attempt = ${attempt} and a.submission = 'none' and a.sends = 0
      returning a.payment_id, a.sends, a.bank_id
    ) select fresh.*, claimed.sends, claimed.bank_id from fresh join claimed using (payment_id)`,
);

interface AllocationToOpen {
  allocation_id: string;
  at: Date;
  provider_id: string;
}

/** Payee fields are null for a missing or removed payee. */
export const openAllocation = (requested: AllocationToOpen) =>
  new OwnerLock(openAllocationOf(requested), ({ owner_id }) => owner_id);

const openAllocationOf = query(
  'payments.openAllocation',
  ({ allocation_id, at, provider_id }: AllocationToOpen) => sql<
    AllocationRow & { held_by: string | null; category: PayeeCategory | null; confirm_before_pay: boolean | null }
  >`
    select l.allocation_id, l.owner_id, l.vault_id, l.amount, l.available, l.source, l.created_at, p.held_by, p.category, p.confirm_before_pay
      from allocation_open(${allocation_id}, ${at}) l
      left join lateral (
        select held_by, category, confirm_before_pay from payees where provider_id = ${provider_id} and removed_at is null for key share) p on true`,
);

/** As JSON. */
type GivenBackRow = MacedOutcome & { amount: number };

/** What the evidence is for. `byHouse`: a payment that the house account is to make. */
export interface Evidencing {
  paymentId?: string | null;
  byHouse?: boolean;
}

/**
 * `interest` is 0 unless all income is asserted. `returns` says how often money came back by the ledger. `sent` adds up
 * all attempts. It leaves out the attempt of `paymentId` that is under way.
 */
export const ownerEvidence = query(
  'payments.ownerEvidence',
  (ownerId: string, { paymentId = null, byHouse = false }: Evidencing) => sql<{
    asserted: AssertedRow[];
    interest: number;
    returns: number;
    sent: number;
    given_back: GivenBackRow[];
  }>`
    select * from owner_evidence(${ownerId}, ${paymentId}, ${byHouse})`,
);

/** In pence. Leaves out failed and cancelled attempts. */
export const requestedSince = query('payments.requestedSince', (ownerId: string, since: Date) =>
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

/** Two banks can give the same id. */
export const attemptAtBank = query('payments.attemptAtBank', (bankId: string, bankPaymentId: string) =>
  knownAttempts().where('a.bank_id', '=', bankId).where('a.bank_payment_id', '=', bankPaymentId),
);

/** Returns no row if the bank's id of the attempt is stored, or the attempt went to another bank. */
export const attemptWithoutBankId = query(
  'payments.attemptWithoutBankId',
  (bankId: string, { payment_id, attempt }: AttemptId) =>
    knownAttempts()
      .where('a.payment_id', '=', payment_id)
      .where('a.attempt', '=', attempt)
      .where('a.bank_id', '=', bankId)
      .where('a.bank_payment_id', 'is', null),
);

/** Lets `changePayment` queue a signal for the attempt's workflow. Locks the payment, so that no change falls between. */
export const awaitAttempt = query(
  'payments.awaitAttempt',
  ({ payment_id, attempt }: AttemptId) => sql<{ status: PaymentStatus }>`
    with current as materialized (select status from payments where payment_id = ${payment_id} for update)
    update payment_attempts set awaited = true from current
     where payment_id = ${payment_id} and attempt = ${attempt} returning current.status`,
);

export const eventsOf = query('payments.events', (paymentId: string) =>
  tables
    .selectFrom('payment_events')
    .select(['status', 'attempt', 'detail', 'created_at'])
    .where('payment_id', '=', paymentId)
    .orderBy('seq'),
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
      // What still waits for its turn is not lost.
      .where(
        sql<boolean>`not exists (select from outbox_messages m where m.workflow_id = payment_id and m.party is not null)`,
      )
      .orderBy('attention')
      .orderBy('updated_at')
      .limit(most),
);
