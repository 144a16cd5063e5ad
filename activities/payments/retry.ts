import { callerOf, type Principal } from '../../domain/auth.ts';
import { pence } from '../../domain/money.ts';
import { ownerOfAnother } from '../../domain/owners.ts';
import { estimatedCompletion, requireAvailable, requireRetryable } from '../../domain/payments.ts';
import * as ledger from '../../infra/db/statements/ledger.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import type { Payment } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import { attemptInReach } from '../reach.ts';
import { requireEvidence } from './evidence.ts';
import { requireWithinLimits } from './limits.ts';
import { isRemoved, unknownProvider } from './providers.ts';
import { paymentView } from './read.ts';
import { changePayment, lockWithOwner, startWorkflow, type PaymentChange } from './record.ts';

export async function retryPayment(
  services: Services,
  { principal, payment_id }: { principal: Principal; payment_id: string },
): Promise<Payment> {
  return services.db.transaction(async () => {
    const signIn = await holdSignIn(services, principal);
    const at = await services.clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    await requireMayTryAgain(services, payment, at);
    const detail = `Attempt ${payment.attempt + 1} was requested.`;
    return paymentView(await nextAttempt(services, payment, { actor: callerOf(principal), signIn, detail, at }));
  });
}

/** The operator acts for the caller of the last attempt, who must still have access to the owner. */
export async function retryPaymentByOperator(
  services: Services,
  { payment_id, reason, actor }: { payment_id: string; reason: string; actor: string },
): Promise<Payment> {
  return services.db.transaction(async () => {
    const at = await services.clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    await requireMayTryAgain(services, payment, at);
    if (!(await attemptInReach(services, payment))) throw ownerOfAnother();
    const data = { attempt: payment.attempt + 1, reason };
    await audit(services, { subject: payment_id, kind: 'payment.retried', actor, data, at });
    const detail = `Attempt ${payment.attempt + 1} was requested by an operator.`;
    return paymentView(await nextAttempt(services, payment, { actor, detail, at }));
  });
}

/** Lock the owner and the payment first. */
async function requireMayTryAgain(services: Services, payment: PaymentRow, at: Date): Promise<void> {
  await requireProvedAddress(services, payment.owner_id);
  requireRetryable(payment);
  if (await isRemoved(services, payment.provider_id)) throw unknownProvider();
  const lot = await services.db.one(ledger.lotById(payment.allocation_id));
  requireAvailable({ available: pence(lot.available) }, pence(payment.amount));
  await requireWithinLimits(services, payment, at);
  await requireEvidence(services, payment);
}

async function nextAttempt(
  services: Services,
  payment: PaymentRow,
  by: Pick<PaymentChange, 'actor' | 'signIn' | 'detail' | 'at'>,
): Promise<PaymentRow> {
  const { payment_id } = payment;
  const attempt = payment.attempt + 1;
  const created_at = by.at.toISOString();
  await services.db.run(statements.insertAttempt({ payment_id, attempt, status: 'processing', created_at }));
  const changed = await changePayment(services, payment, {
    ...by,
    to: 'processing',
    attempt,
    bankStatus: null,
    failure: null,
    estimatedCompletion: estimatedCompletion(null, by.at),
  });
  await startWorkflow(services, { ...changed, execute_on: null });
  return changed;
}
