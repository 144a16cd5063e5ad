import { DomainError } from '../../domain/errors.ts';
import { move, type EntryKind, type TransferKind } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import { isSettled, mayBecome, type PaymentFailure, type PaymentStatus } from '../../domain/payments.ts';
import * as outbox from '../../infra/db/statements/outbox.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { changeLots, lockOwner, postMovement } from '../ledger.ts';

/** A change of a payment's status: why, who, when, and what else of the row changes with it. */
export interface PaymentChange {
  to: PaymentStatus;
  detail: string;
  actor: string;
  at: Date;
  bankStatus?: string | null;
  failure?: PaymentFailure | null;
  attention?: boolean;
  attempt?: number;
  estimatedCompletion?: Date;
}

/** @throws DomainError `not-found` when there is no such payment. */
export function requirePayment(row: PaymentRow | undefined): PaymentRow {
  if (row) return row;
  throw new DomainError('not-found', 'There is no such payment.');
}

/** Locks the payment's owner, then the payment: the order in which everything that moves its money locks. */
export async function lockWithOwner(services: Services, paymentId: string, at: Date): Promise<PaymentRow> {
  const { owner_id } = requirePayment(await services.db.maybe(statements.paymentById, [paymentId]));
  await lockOwner(services, owner_id, at);
  return requirePayment(await services.db.maybe(statements.lockPayment, [paymentId]));
}

/**
 * Takes a locked payment to another status, with its money, its timeline, its audit event and word to its workflow,
 * in the transaction that is open. The one place where a payment's status changes.
 */
export async function changePayment(services: Services, payment: PaymentRow, change: PaymentChange): Promise<PaymentRow> {
  if (!mayBecome(payment.status, change.to)) {
    throw new Error(`payment ${payment.payment_id} cannot go from ${payment.status} to ${change.to}`);
  }
  await moveMoney(services, payment, change);
  const changed = await saveChange(services, payment, change);
  await services.db.run(statements.insertEvent, [changed.payment_id, change.to, changed.attempt, change.detail, change.at]);
  await audit(services, {
    subject: changed.payment_id,
    kind: `payment.${change.to}`,
    actor: change.actor,
    at: change.at,
    data: {
      from: payment.status,
      to: change.to,
      attempt: changed.attempt,
      amount: changed.amount,
      bank_status: changed.bank_status,
      failure_code: changed.failure?.code ?? null,
    },
  });
  if (isSettled(change.to)) await tellAwaiting(services, changed);
  return changed;
}

/** Puts word for the payment's workflow into the outbox, in the transaction that is open. */
export async function tellWorkflow(services: Services, payment: Pick<PaymentRow, 'payment_id' | 'attempt' | 'status'>): Promise<void> {
  await putMessage(services, 'payment.changed', payment, { status: payment.status });
}

/** Puts the start of the payment's workflow into the outbox, in the transaction that is open. */
export async function startWorkflow(
  services: Services,
  payment: Pick<PaymentRow, 'payment_id' | 'attempt' | 'execute_on' | 'owner_id'>,
): Promise<void> {
  await putMessage(services, 'payment.start', payment, { execute_on: payment.execute_on, owner_id: payment.owner_id });
}

async function putMessage(
  { db, outbox: bell }: Services,
  kind: outbox.OutboxKind,
  { payment_id, attempt }: { payment_id: string; attempt: number },
  more: Record<string, unknown>,
): Promise<void> {
  await db.run(outbox.insertMessage, [kind, payment_id, JSON.stringify({ payment_id, attempt, ...more })]);
  db.afterCommit(() => bell.ring());
}

async function tellAwaiting(services: Services, payment: PaymentRow): Promise<void> {
  const attempt = await services.db.one(statements.attemptOf, [payment.payment_id, payment.attempt]);
  if (attempt.awaited) await tellWorkflow(services, payment);
}

async function saveChange({ db }: Services, payment: PaymentRow, change: PaymentChange): Promise<PaymentRow> {
  const changed: PaymentRow = {
    ...payment,
    status: change.to,
    bank_status: change.bankStatus === undefined ? payment.bank_status : change.bankStatus,
    failure: change.failure === undefined ? payment.failure : change.failure,
    attention: change.attention ?? payment.attention,
    attempt: change.attempt ?? payment.attempt,
    estimated_completion: change.estimatedCompletion?.toISOString() ?? payment.estimated_completion,
    updated_at: change.at.toISOString(),
  };
  const failure = changed.failure && JSON.stringify(changed.failure);
  await db.run(statements.updatePayment, [
    changed.payment_id,
    changed.status,
    changed.bank_status,
    failure,
    changed.attention,
    changed.attempt,
    changed.estimated_completion,
    changed.updated_at,
  ]);
  await db.run(statements.concludeAttempt, [changed.payment_id, changed.attempt, changed.status, failure]);
  return changed;
}

/** What each status does to the money: into flight, on to the payee, or back to the allocation it came from. */
async function moveMoney(services: Services, payment: PaymentRow, { to, at }: PaymentChange): Promise<void> {
  const amount = pence(payment.amount);
  const vault = { account: 'vault', vaultId: payment.vault_id } as const;
  const post = (kind: TransferKind, from: Side, into: Side, entry: EntryKind) =>
    postMovement(services, {
      ownerId: payment.owner_id,
      kind,
      subjectId: payment.payment_id,
      at,
      legs: move(amount, { ...from, kind: entry }, { ...into, kind: entry }),
    });
  const changeLot = (change: number) =>
    changeLots(services, [{ allocationId: payment.allocation_id, change: pence(change) }]);

  if (to === 'processing' && payment.status === 'failed') {
    await post('payment', vault, { account: 'in_flight' }, 'payment');
    await changeLot(-amount);
  } else if (to === 'completed') {
    await post('payment_completed', { account: 'in_flight' }, { account: 'payees' }, 'payment');
  } else if (to === 'failed' || to === 'cancelled') {
    await post(`payment_${to}`, { account: 'in_flight' }, vault, 'payment_returned');
    await changeLot(amount);
  } else if (to === 'returned') {
    await post('payment_returned', { account: 'payees' }, vault, 'payment_returned');
    await changeLot(amount);
  }
}

type Side = { account: 'in_flight' | 'payees' } | { account: 'vault'; vaultId: string };
