import { isEnded } from '../../domain/bank/connections.ts';
import { msUntilDue, requirePending, type PaymentFailure } from '../../domain/payments.ts';
import { requireNoDoubt } from '../../domain/restore/doubt.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import { insertTurn } from '../../infra/db/queries/outbox.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { attemptOf, paymentById, pendingPayments, pendingPaymentsOfFamilies } from '../../infra/db/queries/payments.ts';
import type { LockedPayment } from '../../infra/db/queries/payments.ts';
import { releaseMonths } from '../../infra/db/queries/standing-splits.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { changePayment, lockPayment, requirePayment, type AttemptRef, type ChangeServices } from './record.ts';
import { failUnsent } from './unsent.ts';

const AT_ONCE = 100;

/** Returns 0 if the payment's day has begun, the payment no longer waits, or the connection that pays it has ended. */
export async function msToWait({ db, clock }: Pick<Services, 'db' | 'clock'>, paymentId: string): Promise<number> {
  const { status, connection_id, execute_on } = requirePayment(await db.maybe(paymentById(paymentId)));
  if (status !== 'pending') return 0;
  if (connection_id !== null && isEnded((await db.one(connectionById(connection_id))).status)) return 0;
  return msUntilDue(execute_on, await clock.now(db));
}

/** On the day of a scheduled payment. @returns whether the payment has to wait for its turn, of which a signal tells its workflow. */
export async function askForTurn(
  { db, outbox, tracing }: Pick<Services, 'db' | 'outbox' | 'tracing'>,
  { payment_id, attempt }: AttemptRef,
): Promise<boolean> {
  const { status, attempt: current } = requirePayment(await db.maybe(paymentById(payment_id)));
  if (status !== 'pending' || current !== attempt) return false;
  // It had its turn, and its workflow was lost since then.
  if ((await db.one(attemptOf({ payment_id, attempt }))).sends > 0) return false;
  await db.run(insertTurn({ payment_id, attempt, payload: tracing.carry({ payment_id, attempt }) }));
  outbox.notify();
  return true;
}

interface Cancellation {
  actor: string;
  detail: string;
  at: Date;
}

/** Returns the money to its allocation. */
export async function cancelPending(
  tx: Tx,
  services: ChangeServices,
  paymentId: string,
  { actor, detail, at }: Cancellation,
): Promise<LockedPayment> {
  const payment = await lockPayment(tx, paymentId, at);
  requireNoDoubt(payment);
  requirePending(payment.status);
  return changePayment(payment, services, { to: 'cancelled', detail, actor, at, notify: true, unsent: true });
}

/** Bills of a standing split can be paid again for their month. @returns the number of payments. */
export async function cancelAll(
  tx: Tx,
  services: ChangeServices,
  paymentIds: readonly string[],
  by: Cancellation,
): Promise<number> {
  await someAtOnce(paymentIds, (paymentId) => cancelPending(tx, services, paymentId, by));
  if (paymentIds.length > 0) await tx.run(releaseMonths(paymentIds));
  return paymentIds.length;
}

/** With `familyIds`, cancels only what these sign-ins requested. @returns the number of cancelled payments. */
export async function cancelPendingPayments(
  tx: Tx,
  services: ChangeServices & Pick<Services, 'clock'>,
  { ownerId, familyIds, ...by }: Omit<Cancellation, 'at'> & { ownerId: string; familyIds?: readonly string[] },
): Promise<number> {
  const at = await services.clock.now(tx);
  return cancelAll(tx, services, await waitingOf(tx, { ownerId, familyIds, at }), { ...by, at });
}

/** @returns the number of failed payments. */
export async function failPendingPayments(
  tx: Tx,
  services: ChangeServices & Pick<Services, 'clock'>,
  { ownerId, ...by }: { ownerId: string; failure: PaymentFailure; actor: string },
): Promise<number> {
  const at = await services.clock.now(tx);
  const waiting = await waitingOf(tx, { ownerId, at });
  await someAtOnce(waiting, async (paymentId) =>
    failUnsent(await lockPayment(tx, paymentId, at), services, { ...by, at, notify: true }),
  );
  return waiting.length;
}

async function waitingOf(
  tx: Tx,
  { ownerId, familyIds, at }: { ownerId: string; familyIds?: readonly string[] | undefined; at: Date },
): Promise<string[]> {
  await lockOne(tx, lockOwner(ownerId, at));
  const waiting = await tx.many(
    familyIds === undefined ? pendingPayments(ownerId) : pendingPaymentsOfFamilies(ownerId, familyIds),
  );
  return waiting.map(({ payment_id }) => payment_id);
}

/** The statements are pipelined on one connection, so they do not wait for each other. */
async function someAtOnce(paymentIds: readonly string[], end: (paymentId: string) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < paymentIds.length; done += AT_ONCE)
    await Promise.all(paymentIds.slice(done, done + AT_ONCE).map(end));
}
