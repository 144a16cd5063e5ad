import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { isSettled, mayBecome, type PaymentFailure, type PaymentStatus } from '../../domain/payments.ts';
import { requireNoDoubt } from '../../domain/restore/doubt.ts';
import { lockMaybe, type LockedOwner } from '../../infra/db/locked-owner.ts';
import { insertStart } from '../../infra/db/queries/outbox.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import * as changes from '../../infra/db/queries/payment-changes.ts';
import type { OrderedBy } from '../../infra/db/queries/payment-changes.ts';
import type { LockedPayment, PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { auditLine, type AuditEntry } from '../audit.ts';
import type { SignIn } from '../auth/proof.ts';
import { movedBy } from '../ledger.ts';
import type { Authentic } from '../macs.ts';
import { restartSilent, type Silent } from '../outbox.ts';
import { movementOf, outOfVault } from './movements.ts';
import { macedOutcome, type Ending } from './outcome-macs.ts';
import { paidWith, type Payer } from './payer.ts';

export type ChangeServices = Pick<Services, 'newId' | 'outbox' | 'tracing'> & Authentic;

export interface AttemptRef {
  payment_id: string;
  attempt: number;
}

/** Without `submission`, the attempt's submission state stays unchanged. */
export interface PaymentChange extends Ending {
  detail: string;
  actor: string;
  at: Date;
  bankStatus?: string | null;
  failure?: PaymentFailure | null;
  attention?: boolean;
  bankPaymentId?: string;
  /** Notifies the payment's workflow even if it does not wait for the outcome. */
  notify?: boolean;
  /** Nobody doubts any more what became of the payment before a restore. */
  endsDoubt?: boolean;
}

export function requirePayment<Row extends PaymentRow>(row: Row | undefined): Row {
  if (row) return row;
  throw new DomainError('not-found', 'There is no payment with this id.');
}

/** `submission` and `first_sent_at` of the result are those of `attempt`, by default the current one. */
export async function lockPayment(tx: Tx, paymentId: string, at: Date, attempt?: number): Promise<LockedPayment> {
  const opened = { payment_id: paymentId, attempt: attempt ?? null, at };
  return requirePayment(await lockMaybe(tx, queries.openPayment(opened)));
}

/** One statement changes the status, moves the money, writes the timeline and the audit event, and notifies the workflow. */
export async function changePayment(
  payment: LockedPayment,
  services: ChangeServices,
  change: PaymentChange,
): Promise<LockedPayment> {
  requireAllowed(payment, change.to);
  if (!change.endsDoubt) requireNoDoubt(payment);
  const changed = changedPayment(payment, change);
  const { payment_id, attempt, status } = changed;
  const { queued } = await payment.owner.one(
    changes.changePayment({
      ...traces(services, changed, { ...change, data: { from: payment.status, ...outcomeOf(changed) } }),
      payment: changed,
      submission: change.submission ?? null,
      bank_payment_id: change.bankPaymentId ?? null,
      outcome: await macedOutcome(payment, services, change),
      message: isSettled(status) || change.notify ? services.tracing.carry({ payment_id, attempt, status }) : null,
      notify: change.notify ?? false,
      movement: movedBy(payment.owner, services, movementOf(payment, change.to, change.at)),
    }),
  );
  const { tx } = payment.owner;
  if (queued) tx.afterCommit(() => services.outbox.notify());
  tx.afterCommit(() => countChange(services, payment, change));
  return changed;
}

interface NewAttempt extends Pick<PaymentChange, 'detail' | 'actor' | 'at'> {
  orderedBy: OrderedBy;
  payer: Payer;
  estimatedCompletion: Date;
}

/** Orders the payment again, like `changePayment`, perhaps from another account, and starts a workflow for the new attempt. */
export async function insertAttempt(
  payment: LockedPayment,
  services: ChangeServices,
  { orderedBy, payer, estimatedCompletion, ...given }: NewAttempt,
): Promise<LockedPayment> {
  const { owner } = payment;
  requireAllowed(payment, 'processing');
  requireNoDoubt(payment);
  const changed: LockedPayment = {
    ...changedPayment(payment, { ...given, to: 'processing', bankStatus: null, failure: null }),
    ...paidWith(payer, londonDateOf(given.at)),
    attempt: payment.attempt + 1,
    estimated_completion: estimatedCompletion.toISOString(),
  };
  const { connection_id } = changed;
  const data = { from: payment.status, ...outcomeOf(changed), connection_id, ...signInOf(orderedBy) };
  await owner.run(
    changes.insertAttempt({
      ...traces(services, changed, { ...given, data }),
      payment: changed,
      orderedBy,
      bankId: payer.bankId,
      message: startOf(services, { ...changed, execute_on: null }),
      movement: movedBy(owner, services, outOfVault(payment, given.at)),
    }),
  );
  owner.tx.afterCommit(() => {
    services.outbox.notify();
    services.metrics.payments.inc({ event: 'retried' });
  });
  return changed;
}

/** Does not wait for the database, like `postMovement`. */
export function insertPayment(
  owner: LockedOwner,
  services: ChangeServices,
  payment: PaymentRow,
  { orderedBy, bankId, ...given }: { actor: string; orderedBy: OrderedBy; bankId: string; detail: string; at: Date },
): void {
  const { attempt, allocation_id, provider_id, connection_id, execute_on, amount, status } = payment;
  const about = { allocation_id, provider_id, connection_id, execute_on };
  const data = { to: status, attempt, amount, ...about, ...signInOf(orderedBy) };
  void owner.run(
    changes.insertPayment({
      ...traces(services, payment, { ...given, data }),
      payment,
      orderedBy,
      bankId,
      message: startOf(services, payment),
      movement: movedBy(owner, services, outOfVault(payment, given.at)),
    }),
  );
  owner.tx.afterCommit(() => {
    services.outbox.notify();
    services.metrics.payments.inc({ event: 'started' });
  });
}

interface Mark {
  attention: boolean;
  bankStatus: string | null;
  at: Date;
  /** A line for the timeline, at the payment's unchanged status. */
  detail?: string;
  audit?: Omit<AuditEntry, 'subject' | 'at'>;
  notify?: boolean;
  contradicted?: number | 'none';
}

/** Changes neither the payment's status nor its money. */
export async function markPayment(
  payment: LockedPayment,
  services: ChangeServices,
  { attention, bankStatus, at, detail, audit, notify = false, contradicted }: Mark,
): Promise<void> {
  const { owner, payment_id, status, attempt } = payment;
  await owner.run(
    changes.markPayment({
      payment: { ...payment, attention, bank_status: bankStatus },
      at,
      event: detail === undefined ? null : { payment_id, status, attempt, detail },
      audit: audit ? auditLine(services, { ...audit, subject: payment_id, at }) : null,
      message: notify ? services.tracing.carry({ payment_id, attempt, status }) : null,
      contradicted: contradicted ?? null,
    }),
  );
  if (notify) owner.tx.afterCommit(() => services.outbox.notify());
  if (attention && !payment.attention)
    owner.tx.afterCommit(() => services.metrics.payments.inc({ event: 'attention' }));
}

function requireAllowed({ payment_id, status }: PaymentRow, to: PaymentStatus): void {
  if (!mayBecome(status, to)) throw new Error(`payment ${payment_id} cannot go from ${status} to ${to}`);
}

function countChange(
  { metrics }: ChangeServices,
  { attempt, execute_on, initiated_at }: PaymentRow,
  { to, at }: PaymentChange,
): void {
  metrics.payments.inc({ event: to });
  if (to !== 'completed' || attempt > 1 || execute_on !== null) return;
  metrics.paymentSeconds.observe(Math.max(0, at.getTime() - Date.parse(initiated_at)) / 1_000);
}

function traces(
  services: ChangeServices,
  { payment_id, status, attempt }: PaymentRow,
  { detail, actor, data, at }: { detail: string; actor: string; data: AuditEntry['data']; at: Date },
) {
  const audit = auditLine(services, { subject: payment_id, kind: `payment.${status}`, actor, data, at });
  return { event: { payment_id, status, attempt, detail }, audit, at };
}

function outcomeOf({ status, attempt, amount, bank_status, failure }: PaymentRow) {
  return { to: status, attempt, amount, bank_status, failure_code: failure?.code ?? null };
}

/** `signIn` is null for an API key. */
export function orderedBy(requested_by: string, signIn: SignIn | null): OrderedBy {
  return { requested_by, client_id: signIn?.client_id ?? null, family_id: signIn?.family_id ?? null };
}

function signInOf({ client_id, family_id }: OrderedBy) {
  return family_id === null ? {} : { client_id, family_id };
}

type PaymentStart = Pick<PaymentRow, 'payment_id' | 'attempt' | 'execute_on' | 'owner_id'>;

function startOf({ tracing }: Pick<Services, 'tracing'>, { payment_id, attempt, execute_on, owner_id }: PaymentStart) {
  return tracing.carry({ payment_id, attempt, execute_on, owner_id });
}

async function enqueueStart(tx: Tx, services: Services, payment: PaymentStart): Promise<void> {
  await tx.run(insertStart({ ...payment, payload: startOf(services, payment) }));
  tx.afterCommit(() => services.outbox.notify());
}

/** Recovers payments whose workflow or notification was lost. */
export async function restartStalledPayments(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, {
    find: (silentSince, most, now) => queries.stalledPayments({ silentSince, dueBy: londonDateOf(now), most }),
    restart: (tx, parts, payment) => enqueueStart(tx, parts, payment),
  });
}

function changedPayment(payment: LockedPayment, change: PaymentChange): LockedPayment {
  return {
    ...payment,
    status: change.to,
    bank_status: change.bankStatus === undefined ? payment.bank_status : change.bankStatus,
    failure: change.failure === undefined ? payment.failure : change.failure,
    attention: change.attention ?? payment.attention,
    doubted_by: change.endsDoubt ? null : payment.doubted_by,
    updated_at: change.at.toISOString(),
  };
}
