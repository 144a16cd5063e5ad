import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { move, type EntryKind, type TransferKind } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import {
  isSettled,
  mayBecome,
  type PaymentFailure,
  type PaymentStatus,
  type Submission,
} from '../../domain/payments.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { OpenPaymentRow, PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { auditLine } from '../audit.ts';
import type { SignIn } from '../auth/proof.ts';
import { movedBy, type Movement } from '../ledger.ts';
import { enqueue, restartSilent, type Silent } from '../outbox.ts';

export interface AttemptRef {
  payment_id: string;
  attempt: number;
}

export interface PaymentChange {
  to: PaymentStatus;
  detail: string;
  actor: string;
  at: Date;
  /** Only for a new attempt: the sign-in of the person who requested it. */
  signIn?: SignIn | null;
  bankStatus?: string | null;
  failure?: PaymentFailure | null;
  attention?: boolean;
  attempt?: number;
  estimatedCompletion?: Date;
  /** If absent, the attempt's submission state and bank id stay unchanged. */
  submission?: Submission;
  bankPaymentId?: string;
}

export function requirePayment<Row extends PaymentRow>(row: Row | undefined): Row {
  if (row) return row;
  throw new DomainError('not-found', 'There is no payment with this id.');
}

/**
 * Every movement of a payment's money locks the owner first, then the payment. `submission` and `first_sent_at` are
 * those of `attempt`, by default the current one.
 */
export async function lockWithOwner(
  { db }: Services,
  paymentId: string,
  at: Date,
  attempt?: number,
): Promise<OpenPaymentRow> {
  return requirePayment(
    await db.maybe(statements.openPayment({ payment_id: paymentId, attempt: attempt ?? null, at })),
  );
}

/**
 * Lock the payment first. One statement changes the status, moves the money, and writes the timeline and the audit
 * event.
 */
export async function changePayment(
  services: Services,
  payment: PaymentRow,
  change: PaymentChange,
): Promise<PaymentRow> {
  if (!mayBecome(payment.status, change.to)) {
    throw new Error(`payment ${payment.payment_id} cannot go from ${payment.status} to ${change.to}`);
  }
  const changed = changedPayment(payment, change);
  const movement = movementOf(payment, change);
  const { payment_id, attempt, status, amount, bank_status, failure, attention, estimated_completion } = changed;
  const failure_code = failure?.code ?? null;
  const data = { from: payment.status, to: status, attempt, amount, bank_status, failure_code, ...change.signIn };
  const row = await services.db.one(
    statements.changePayment({
      ...traces(services, changed, { ...change, data }),
      ...{ bank_status, failure, attention, estimated_completion },
      submission: change.submission ?? null,
      bank_payment_id: change.bankPaymentId ?? null,
      message: isSettled(change.to) ? { payment_id, attempt, status } : null,
      movement: movedBy(services, movement),
    }),
  );
  if (row.told) services.db.afterCommit(() => services.outbox.notify());
  services.db.afterCommit(() => countChange(services, payment, change));
  return changed;
}

function countChange(
  { metrics }: Services,
  { status, attempt, execute_on, initiated_at }: PaymentRow,
  change: PaymentChange,
) {
  const event = change.to === 'processing' && status === 'failed' ? 'retried' : change.to;
  metrics.payments.inc({ event });
  if (event !== 'completed' || attempt > 1 || execute_on !== null) return;
  metrics.paymentSeconds.observe(Math.max(0, change.at.getTime() - Date.parse(initiated_at)) / 1_000);
}

/** Does not change the payment's own status. */
export async function setAside(
  { db }: Services,
  payment: PaymentRow,
  { attention, bankStatus, at }: { attention: boolean; bankStatus: string | null; at: Date },
): Promise<void> {
  await db.run(statements.updatePayment(payment.payment_id, { attention, bank_status: bankStatus, at }));
}

export async function insertPayment(
  services: Services,
  payment: PaymentRow,
  given: { actor: string; signIn: SignIn | null; detail: string; at: Date },
): Promise<void> {
  const { payment_id, attempt, allocation_id, provider_id, execute_on, owner_id, amount, status } = payment;
  const data = { to: status, attempt, amount, allocation_id, provider_id, execute_on, ...given.signIn };
  await services.db.send(
    statements.insertPayment(payment, {
      ...traces(services, payment, { ...given, data }),
      message: services.tracing.carry({ payment_id, attempt, execute_on, owner_id }),
      movement: movedBy(services, outOfVault(payment, given.at)),
    }),
  );
  services.db.afterCommit(() => {
    services.outbox.notify();
    services.metrics.payments.inc({ event: 'started' });
  });
}

function traces(
  services: Services,
  { payment_id, status, attempt }: PaymentRow,
  { detail, actor, data, at }: { detail: string; actor: string; data: Readonly<Record<string, unknown>>; at: Date },
): statements.Traces {
  const audit = auditLine(services, { subject: payment_id, kind: `payment.${status}`, actor, data, at });
  return { payment_id, status, attempt, detail, at, audit };
}

export async function tellWorkflow(
  services: Services,
  { payment_id, attempt, status }: Pick<PaymentRow, 'payment_id' | 'attempt' | 'status'>,
): Promise<void> {
  await enqueue(services, 'payment.changed', payment_id, services.tracing.carry({ payment_id, attempt, status }));
}

export async function startWorkflow(
  services: Services,
  { payment_id, attempt, execute_on, owner_id }: Pick<PaymentRow, 'payment_id' | 'attempt' | 'execute_on' | 'owner_id'>,
): Promise<void> {
  const message = services.tracing.carry({ payment_id, attempt, execute_on, owner_id });
  await enqueue(services, 'payment.start', payment_id, message);
}

/** Recovers payments whose workflow or notification was lost. */
export async function restartStalledPayments(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, {
    find: (silentSince, most, now) => statements.stalledPayments({ silentSince, dueBy: londonDateOf(now), most }),
    restart: startWorkflow,
  });
}

function changedPayment(payment: PaymentRow, change: PaymentChange): PaymentRow {
  return {
    ...payment,
    status: change.to,
    bank_status: change.bankStatus === undefined ? payment.bank_status : change.bankStatus,
    failure: change.failure === undefined ? payment.failure : change.failure,
    attention: change.attention ?? payment.attention,
    attempt: change.attempt ?? payment.attempt,
    estimated_completion: change.estimatedCompletion?.toISOString() ?? payment.estimated_completion,
    updated_at: change.at.toISOString(),
  };
}

/** The movement has no legs if no money moves. */
function movementOf(payment: PaymentRow, { to, at }: PaymentChange): Movement {
  const vault: Side = { account: 'vault', vaultId: payment.vault_id };
  if (to === 'processing' && payment.status === 'failed') return outOfVault(payment, at);
  if (to === 'completed')
    return moving(payment, at, 'payment_completed', { account: 'in_flight' }, { account: 'payees' }, 'payment');
  if (to === 'failed' || to === 'cancelled') {
    return intoLot(payment, moving(payment, at, `payment_${to}`, { account: 'in_flight' }, vault, 'payment_returned'));
  }
  if (to === 'returned') {
    return intoLot(payment, moving(payment, at, 'payment_returned', { account: 'payees' }, vault, 'payment_returned'));
  }
  return { ...moving(payment, at, 'payment', vault, { account: 'in_flight' }, 'payment'), legs: [] };
}

function outOfVault(payment: PaymentRow, at: Date): Movement {
  const vault: Side = { account: 'vault', vaultId: payment.vault_id };
  const lotChanges = [{ allocationId: payment.allocation_id, available: pence(-payment.amount) }];
  return { ...moving(payment, at, 'payment', vault, { account: 'in_flight' }, 'payment'), lotChanges };
}

function intoLot(payment: PaymentRow, movement: Movement): Movement {
  return { ...movement, lotChanges: [{ allocationId: payment.allocation_id, available: pence(payment.amount) }] };
}

function moving(payment: PaymentRow, at: Date, kind: TransferKind, from: Side, into: Side, entry: EntryKind): Movement {
  const legs = move(pence(payment.amount), { ...from, kind: entry }, { ...into, kind: entry });
  return { ownerId: payment.owner_id, kind, subjectId: payment.payment_id, at, legs };
}

type Side = { account: 'in_flight' | 'payees' } | { account: 'vault'; vaultId: string };
