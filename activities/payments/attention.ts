import { DomainError } from '../../domain/errors.ts';
import { paymentsNeedingAttention, type AttentionRow } from '../../infra/db/statements/watch.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { lockWithOwner, setAside } from './record.ts';

/**
 * Why a payment needs an operator: nobody knows what the bank did (`outcome-unknown`), or the bank says something else than
 * what is on record (`bank-contradicts`).
 */
export type AttentionReason = 'outcome-unknown' | 'bank-contradicts';

export type AttentionView = AttentionRow & { reason: AttentionReason };

const MOST = 500;

/** Payments that need an operator, the one that waits for longest first, at most 500. */
export async function listPaymentsNeedingAttention({
  db,
}: Pick<Services, 'db'>): Promise<{ payments: AttentionView[] }> {
  const rows = await db.many(paymentsNeedingAttention, [MOST]);
  return { payments: rows.map((row) => ({ ...row, reason: reasonOf(row) })) };
}

/**
 * Takes the mark off a payment that was cleared up with the bank; on record, with the reason. Nothing is booked by it.
 * @throws DomainError `not-found`; `invalid-request` where the outcome is unknown, which is settled by resolving it.
 */
export async function acknowledgePayment(
  services: Services,
  { payment_id, reason, actor }: { payment_id: string; reason: string; actor: string },
): Promise<{ payment_id: string; attention: boolean }> {
  return services.db.transaction(async () => {
    const at = await services.clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    if (reasonOf(payment) === 'outcome-unknown') {
      throw new DomainError('invalid-request', 'The outcome of this payment is unknown; settle it by payment resolve.');
    }
    if (payment.attention) {
      await setAside(services, payment, { attention: false, bankStatus: payment.bank_status, at });
      await audit(services, { subject: payment_id, kind: 'payment.acknowledged', actor, data: { reason }, at });
    }
    return { payment_id, attention: false };
  });
}

function reasonOf({ status, bank_status }: Pick<AttentionRow, 'status' | 'bank_status'>): AttentionReason {
  return status === 'processing' && bank_status === 'UNKNOWN' ? 'outcome-unknown' : 'bank-contradicts';
}
