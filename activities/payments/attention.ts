import { DomainError, invalidInput } from '../../domain/errors.ts';
import { attentionReasonOf, type AttentionReason, type PaymentFailure } from '../../domain/payments.ts';
import { requireNoDoubt } from '../../domain/restore/doubt.ts';
import { instructionIds } from '../../infra/bank/obie-4.0/identifiers.ts';
import { attemptsOf, eventsOf, paymentById, type LockedPayment } from '../../infra/db/queries/payments.ts';
import { problemOf, reconciliationOf } from '../../infra/db/queries/reconciliation.ts';
import { failedPayments, paymentsNeedingAttention } from '../../infra/db/queries/watch.ts';
import type { Services } from '../../infra/services.ts';
import { reconciliationView } from './read.ts';
import { lockPayment, markPayment, requirePayment } from './record.ts';

const MOST = 500;
const USUALLY = 100;

/** Longest waiting first, at most 500. `end_to_end_id` is in the bank's statement. */
export async function listPaymentsNeedingAttention({ db }: Pick<Services, 'db'>) {
  const rows = await db.many(paymentsNeedingAttention(MOST));
  const payments = rows.map(({ problem, doubted_by, ...row }) => ({
    ...row,
    end_to_end_id: instructionIds(row.payment_id, row.attempt).endToEndId,
    reason: attentionReasonOf({ ...row, problem, doubted_by }),
  }));
  return { payments };
}

/** Newest first. `attention` is true if an operator should look at the payment. */
export async function listFailedPayments(
  { db }: Pick<Services, 'db'>,
  { limit = USUALLY }: { limit?: number | undefined } = {},
) {
  if (limit < 1 || limit > MOST) throw invalidInput('/limit', `The limit must be from 1 to ${MOST}.`);
  const rows = await db.many(failedPayments(limit));
  const payments = rows.map(({ failure, failed_at, ...row }) => ({
    ...row,
    failure_code: failure?.code ?? null,
    failure_detail: failure?.detail ?? null,
    retryable: failure?.retryable ?? true,
    failed_at: failed_at!,
  }));
  return { payments };
}

/** For operators. Leaves out the reference, which is the payer's text. */
export async function showPayment({ db }: Pick<Services, 'db'>, { payment_id }: { payment_id: string }) {
  const found = requirePayment(await db.maybe(paymentById(payment_id)));
  const { reference: _reference, seq: _seq, version: _version, counts_on: _countsOn, failure, ...payment } = found;
  const attempts = (await db.many(attemptsOf(payment_id))).map((one) => ({
    attempt: one.attempt,
    status: one.status,
    failure_code: one.failure?.code ?? null,
    submission: one.submission,
    bank_payment_id: one.bank_payment_id,
    end_to_end_id: instructionIds(payment_id, one.attempt).endToEndId,
    requested_by: one.requested_by,
    created_at: one.created_at,
  }));
  const reconciliation = reconciliationView(found, await db.maybe(reconciliationOf(payment_id)));
  const timeline = (await db.many(eventsOf(payment_id))).map(({ created_at, attempt, status, detail }) => {
    return { at: created_at, attempt, status, detail };
  });
  return { ...payment, ...failureFields(failure), reconciliation, attempts, timeline };
}

function failureFields(failure: PaymentFailure | null) {
  return {
    failure_code: failure?.code ?? null,
    failure_detail: failure?.detail ?? null,
    retryable: failure?.retryable ?? null,
  };
}

/** For a payment that an operator has resolved with the bank. Moves no money. */
export async function acknowledgePayment(
  services: Services,
  { payment_id, reason, actor }: { payment_id: string; reason: string; actor: string },
): Promise<{ payment_id: string; attention: boolean }> {
  return services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    requireNoDoubt(payment);
    const resolvable = RESOLVABLE[attentionReasonOf(payment)];
    if (resolvable)
      throw new DomainError('invalid-request', `${resolvable}. Settle the payment with the command "payment resolve".`);
    if (payment.attention) {
      const audit = { kind: 'payment.acknowledged', actor, data: { reason } } as const;
      const { bank_status: bankStatus } = payment;
      await markPayment(payment, services, { attention: false, bankStatus, at, audit, contradicted: 'none' });
    }
    return { payment_id, attention: false };
  });
}

const RESOLVABLE: Readonly<Record<AttentionReason, string | null>> = {
  restored: null,
  'outcome-unknown': 'The outcome of this payment is unknown',
  'bank-blocked': 'The bank has blocked this payment',
  'bank-contradicts': null,
  ambiguous: null,
  missing: null,
  'return-missing': null,
  'unexplained-return': null,
};

/** The attempts for which the bank contradicted our record, and which no operator has acknowledged since. */
export async function openContradictions({ owner, payment_id }: LockedPayment): Promise<number[]> {
  const attempts = await owner.tx.many(attemptsOf(payment_id));
  return attempts.filter(({ contradicted }) => contradicted).map(({ attempt }) => attempt);
}

/** Whether a contradiction about an earlier attempt, or what reconciliation found, still awaits an operator. */
export async function staysMarked(payment: LockedPayment): Promise<boolean> {
  if (!payment.attention) return false;
  if (await payment.owner.tx.maybe(problemOf(payment.payment_id))) return true;
  return (await openContradictions(payment)).some((attempt) => attempt < payment.attempt);
}
