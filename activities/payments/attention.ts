import { DomainError } from '../../domain/errors.ts';
import { attentionReasonOf, type AttentionReason } from '../../domain/payments.ts';
import { contradictedAttempts } from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import { paymentsNeedingAttention } from '../../infra/db/statements/watch.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { lockWithOwner, setAside } from './record.ts';

const MOST = 500;

/** Longest waiting first, at most 500. */
export async function listPaymentsNeedingAttention({ db }: Pick<Services, 'db'>) {
  const rows = await db.many(paymentsNeedingAttention(MOST));
  return { payments: rows.map((row) => ({ ...row, reason: attentionReasonOf(row) })) };
}

/** For a payment that an operator has resolved with the bank. Moves no money. */
export async function acknowledgePayment(
  services: Services,
  { payment_id, reason, actor }: { payment_id: string; reason: string; actor: string },
): Promise<{ payment_id: string; attention: boolean }> {
  return services.db.transaction(async () => {
    const at = await services.clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    const resolvable = RESOLVABLE[attentionReasonOf(payment)];
    if (resolvable)
      throw new DomainError('invalid-request', `${resolvable}. Settle the payment with the command "payment resolve".`);
    if (payment.attention) {
      await setAside(services, payment, { attention: false, bankStatus: payment.bank_status, at });
      await audit(services, { subject: payment_id, kind: 'payment.acknowledged', actor, data: { reason }, at });
    }
    return { payment_id, attention: false };
  });
}

const RESOLVABLE: Readonly<Record<AttentionReason, string | null>> = {
  'outcome-unknown': 'The outcome of this payment is unknown',
  'bank-blocked': 'The bank has blocked this payment',
  'bank-contradicts': null,
};

/** The attempts for which the bank contradicted our record, and which no operator has acknowledged since. */
export async function openContradictions(
  { db }: Pick<Services, 'db'>,
  { payment_id }: Pick<PaymentRow, 'payment_id'>,
): Promise<number[]> {
  return (await db.many(contradictedAttempts(payment_id))).map(({ attempt }) => attempt);
}

/** Whether a contradiction about an earlier attempt still awaits an operator. */
export async function staysMarked(services: Pick<Services, 'db'>, payment: PaymentRow): Promise<boolean> {
  if (!payment.attention) return false;
  return (await openContradictions(services, payment)).some((attempt) => attempt < payment.attempt);
}
