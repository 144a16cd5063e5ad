import { DomainError } from '../../domain/errors.ts';
import type { LockedPayment } from '../../infra/db/queries/payments.ts';
import { storeOutcome } from '../../infra/db/queries/payment-outcomes.ts';
import { forgetSubmission } from '../../infra/db/queries/restore-steps.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { staysMarked } from '../payments/attention.ts';
import { macedOutcome } from '../payments/outcome-macs.ts';
import { changePayment, lockPayment, markPayment, type ChangeServices } from '../payments/record.ts';
import { requireBegun } from './open.ts';

export type SettleServices = ChangeServices & Pick<Services, 'clock' | 'db'>;

interface Answer {
  payment_id: string;
  as: 'sent' | 'not-sent';
  reason: string;
  actor: string;
}

/** An operator says whether the bank has a payment that is in doubt. Only one that was not sent is sent again. */
export async function settleDoubt(
  services: SettleServices,
  { payment_id, as, reason, actor }: Answer,
): Promise<{ payment_id: string; status: string }> {
  return services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    if (payment.doubted_by === null) throw new DomainError('invalid-request', 'This payment is not in doubt.');
    await auditAnswer(tx, services, { payment_id, as, reason, actor, at });
    if (as === 'not-sent') {
      await allowToSend(payment, services, at);
      return { payment_id, status: payment.status };
    }
    const detail = 'After a restore, an operator found that the bank has the payment.';
    return { payment_id, status: (await complete(payment, services, { detail, actor, at })).status };
  });
}

/** @param by where the money was seen. @returns false if the payment is not in doubt any more. */
export async function completeDoubted(
  services: SettleServices,
  { payment_id, by, actor }: { payment_id: string; by: string; actor: string },
): Promise<boolean> {
  return services.db.transaction(async (tx) => {
    await requireBegun(tx);
    const at = await services.clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    if (payment.doubted_by === null) return false;
    await auditAnswer(tx, services, { payment_id, as: 'sent', reason: by, actor, at });
    const detail = `After a restore, the payment was found: ${by}.`;
    await complete(payment, services, { detail, actor, at });
    return true;
  });
}

function auditAnswer(
  tx: Tx,
  services: Pick<Services, 'newId'>,
  { payment_id: subject, actor, at, ...data }: Answer & { at: Date },
): Promise<void> {
  return audit(tx, services, { subject, kind: 'restore.settled', actor, data, at });
}

interface By {
  detail: string;
  actor: string;
  at: Date;
}

async function complete(payment: LockedPayment, services: ChangeServices, by: By): Promise<LockedPayment> {
  const attention = await staysMarked(payment);
  const change = { ...by, attention, endsDoubt: true };
  const sent =
    payment.status === 'pending' ? await changePayment(payment, services, { ...change, to: 'processing' }) : payment;
  return changePayment(sent, services, { ...change, to: 'completed', notify: true });
}

/** The bank's word counts for what it has accepted already. */
async function allowToSend(payment: LockedPayment, services: ChangeServices, at: Date): Promise<void> {
  const { bank_status } = payment;
  const attention = await staysMarked(payment);
  const detail = 'After a restore, an operator found that the bank does not have the payment.';
  const bankStatus = bank_status === 'UNKNOWN' ? null : bank_status;
  await markPayment({ ...payment, doubted_by: null }, services, { attention, bankStatus, at, detail, notify: true });
  if (payment.submission !== 'in_doubt') return;
  await payment.owner.run(forgetSubmission(payment));
  const outcome = await macedOutcome(payment, services, { to: payment.status, submission: 'none' });
  await payment.owner.run(storeOutcome(outcome!));
}
