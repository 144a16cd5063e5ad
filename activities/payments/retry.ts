import { callerOf, type Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { ownerOfAnother } from '../../domain/owners.ts';
import { estimatedCompletion, requireAvailable, requireRetryable } from '../../domain/payments.ts';
import { requireNotLost } from '../../domain/restore/doubt.ts';
import * as ledger from '../../infra/db/queries/ledger.ts';
import { attemptOf, type LockedPayment } from '../../infra/db/queries/payments.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Payment } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { accountDisabled, isDisabled } from '../auth/enabled.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import type { Authentic } from '../macs.ts';
import { attemptInReach } from '../reach.ts';
import { lastRestore } from '../restore/lost.ts';
import { countPayment, requireMayPay, requireWithinLimits } from './limits.ts';
import { holdPayee } from './payees.ts';
import { choosePayer, type Payer } from './payer.ts';
import { paymentView } from './read.ts';
import { insertAttempt, lockPayment, orderedBy, type ChangeServices } from './record.ts';

type RetryServices = ChangeServices & Pick<Services, 'clock' | 'config'> & Authentic;

export async function retryPayment(
  tx: Tx,
  services: RetryServices & Pick<Services, 'banks'>,
  { principal, payment_id }: { principal: Principal; payment_id: string },
): Promise<Payment> {
  const signIn = await holdSignIn(tx, principal);
  const at = await services.clock.now(tx);
  const payment = await lockPayment(tx, payment_id, at);
  if (payment.status === 'failed') requireNotLost(payment, await lastRestore(tx));
  const payer = await requireMayTryAgain(payment, services, at);
  const actor = callerOf(principal);
  const by = orderedBy(actor, signIn);
  await countPayment(payment.owner, services, by, londonDateOf(at));
  const again = await insertAttempt(payment, services, {
    actor,
    at,
    detail: `Attempt ${payment.attempt + 1} was requested.`,
    orderedBy: by,
    payer,
    estimatedCompletion: estimatedCompletion(null, at),
  });
  return paymentView(again);
}

/** The operator acts for the caller of the last attempt, who must still have access to the owner. */
export async function retryPaymentByOperator(
  { db, ...services }: RetryServices & Pick<Services, 'db' | 'banks'>,
  { payment_id, reason, actor }: { payment_id: string; reason: string; actor: string },
): Promise<Payment> {
  return db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    const payer = await requireMayTryAgain(payment, services, at);
    if (!(await attemptInReach(payment, services))) throw ownerOfAnother();
    const data = { attempt: payment.attempt + 1, reason };
    await audit(tx, services, { subject: payment_id, kind: 'payment.retried', actor, data, at });
    const { requested_by, client_id } = await tx.one(attemptOf(payment));
    await countPayment(payment.owner, services, { requested_by, client_id }, londonDateOf(at));
    const again = await insertAttempt(payment, services, {
      actor,
      at,
      detail: `Attempt ${payment.attempt + 1} was requested by an operator.`,
      orderedBy: { requested_by, client_id, family_id: null },
      payer,
      estimatedCompletion: estimatedCompletion(null, at),
    });
    return paymentView(again);
  });
}

/** @returns the account that pays now, which can be another than before. */
async function requireMayTryAgain(
  payment: LockedPayment,
  services: Pick<Services, 'banks' | 'config'> & Authentic,
  at: Date,
): Promise<Payer> {
  const { owner } = payment;
  if (await isDisabled(owner.tx, owner.id)) throw accountDisabled();
  await requireProvedAddress(owner.tx, services, owner.id);
  requireRetryable(payment);
  await holdPayee(owner.tx, payment.provider_id);
  const payer = await choosePayer(owner, services, payment);
  const allocation = await owner.tx.one(ledger.allocationById(payment.allocation_id));
  requireAvailable({ available: pence(allocation.available) }, pence(payment.amount));
  await requireWithinLimits(owner, services, payment.amount, at);
  await requireMayPay(owner, services, { payer, wanted: payment, countsOn: londonDateOf(at) });
  return payer;
}
