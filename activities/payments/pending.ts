import { requirePending } from '../../domain/payments.ts';
import { lockOwner } from '../../infra/db/statements/ledger.ts';
import { pendingPayments, pendingPaymentsOfFamilies } from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { changePayment, lockWithOwner, tellWorkflow } from './record.ts';

const AT_ONCE = 100;

interface Cancellation {
  actor: string;
  detail: string;
  at: Date;
}

/** Returns the money to its allocation, in the open transaction. */
export async function cancelPending(
  services: Services,
  paymentId: string,
  { actor, detail, at }: Cancellation,
): Promise<PaymentRow> {
  const payment = await lockWithOwner(services, paymentId, at);
  requirePending(payment.status);
  const changed = await changePayment(services, payment, { to: 'cancelled', detail, actor, at });
  await tellWorkflow(services, changed);
  return changed;
}

/**
 * Locks the owner. With `familyIds`, cancels only what these sign-ins requested.
 * @returns the number of cancelled payments.
 */
export async function cancelPendingPayments(
  services: Services,
  { ownerId, familyIds, ...by }: Omit<Cancellation, 'at'> & { ownerId: string; familyIds?: readonly string[] },
): Promise<number> {
  const at = await services.clock.now();
  await services.db.run(lockOwner(ownerId, at));
  const waiting = await services.db.many(
    familyIds === undefined ? pendingPayments(ownerId) : pendingPaymentsOfFamilies(ownerId, familyIds),
  );
  for (let done = 0; done < waiting.length; done += AT_ONCE) {
    // The statements are pipelined on one connection, so they do not wait for each other.
    const some = waiting.slice(done, done + AT_ONCE);
    await Promise.all(some.map(({ payment_id }) => cancelPending(services, payment_id, { ...by, at })));
  }
  return waiting.length;
}
