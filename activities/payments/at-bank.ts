import { isBlocked, isSettled, msUntilDue, type PaymentStatus } from '../../domain/payments.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { recordNews, tellsNothing } from './news.ts';
import { lockWithOwner, requirePayment, setAside, type AttemptRef } from './record.ts';
import { ACTOR, claimSubmission, submit, type SubmissionResult } from './submission.ts';

/** What the workflow of a payment does at the bank, and what the bank's news does to payments. */
export function bankActivities(services: Services) {
  const { db, bank, clock } = services;

  return {
    /** How long until the payment's day begins, in milliseconds; 0 when it has or the payment is not pending any more. */
    async msUntilDue({ payment_id }: AttemptRef): Promise<number> {
      const payment = requirePayment(await db.maybe(statements.paymentById, [payment_id]));
      return payment.status === 'pending' ? msUntilDue(payment.execute_on, await clock.now()) : 0;
    },

    /**
     * Hands an attempt to the bank and, where it is taken, waits a moment for it to settle. Safe to run again at any
     * point: the bank knows the attempt by its idempotency key, and what is already known is not asked for twice.
     */
    async submitPayment(ref: AttemptRef & { settle_within_ms: number }): Promise<SubmissionResult> {
      const claim = await claimSubmission(services, ref);
      if (claim.kind === 'over') return { outcome: 'settled', status: claim.status };
      if (claim.kind === 'early') return { outcome: 'unavailable', status: 'pending' };
      if (claim.kind === 'expired') return { outcome: 'expired', status: 'processing' };
      if (claim.kind === 'submit') {
        const result = await submit(services, claim);
        if (result.outcome !== 'accepted') return result;
      }
      return awaitSettlement(services, ref);
    },

    /** Asks the bank how an attempt stands and records what it says. @throws when the bank cannot be reached. */
    async checkPayment({ payment_id, attempt }: AttemptRef): Promise<PaymentStatus> {
      const { bank_payment_id } = await db.one(statements.attemptOf, [payment_id, attempt]);
      if (bank_payment_id === null) return requirePayment(await db.maybe(statements.paymentById, [payment_id])).status;
      return recordNews(services, { payment_id, attempt }, await bank.readPayment(bank_payment_id));
    },

    /** The bank says that something happened to a payment. @returns false when the payment is none of ours (yet). */
    async bankTold({ bank_payment_id }: { bank_payment_id: string }): Promise<boolean> {
      const known = await db.maybe(statements.attemptAtBank, [bank_payment_id]);
      if (!known) return false;
      const news = await bank.readPayment(bank_payment_id);
      // Most events tell what the submission's own answer told; those need no lock.
      if (!(isSettled(known.payment_status) && tellsNothing(known, news))) await recordNews(services, known, news);
      return true;
    },

    /** Puts a payment whose outcome stayed unknown before an operator; once. */
    async markAttention({ payment_id }: AttemptRef): Promise<void> {
      await db.transaction(async () => {
        const at = await clock.now();
        const payment = await lockWithOwner(services, payment_id, at);
        if (payment.attention || isSettled(payment.status)) return;
        await setAside(services, payment, { attention: true, bankStatus: payment.bank_status, at });
        await audit(services, { subject: payment_id, kind: 'payment.attention', actor: ACTOR, data: {}, at });
        db.afterCommit(() => services.metrics.payments.inc({ event: 'attention' }));
      });
    },

    /** Why the payment failed, by the bank's code; null where it did not. */
    async readFailure({ payment_id }: AttemptRef): Promise<{ code: string; retryable: boolean } | null> {
      const { failure } = requirePayment(await db.maybe(statements.paymentById, [payment_id]));
      return failure && { code: failure.code, retryable: failure.retryable };
    },

    /** Whether the bank holds the payment, so that only its final word or an operator's settles it. */
    async readBlocked({ payment_id }: AttemptRef): Promise<boolean> {
      const { status, bank_status } = requirePayment(await db.maybe(statements.paymentById, [payment_id]));
      return status === 'processing' && isBlocked(bank_status);
    },

    /** The status on record. */
    async readStatus({ payment_id }: AttemptRef): Promise<PaymentStatus> {
      return requirePayment(await db.maybe(statements.paymentById, [payment_id])).status;
    },
  };
}

/** Waits for the row to settle, unless the bank has blocked the payment. Whoever settles it later tells the workflow. */
async function awaitSettlement(
  { db, changes }: Services,
  ref: AttemptRef & { settle_within_ms: number },
): Promise<SubmissionResult> {
  const deadline = performance.now() + ref.settle_within_ms;
  const watch = await changes.watch(ref.payment_id);
  try {
    for (;;) {
      const { status, bank_status } = await db.one(statements.paymentById, [ref.payment_id]);
      if (isSettled(status)) return { outcome: 'settled', status };
      if (isBlocked(bank_status)) break;
      const left = deadline - performance.now();
      if (left <= 0) break;
      await watch.next(left);
    }
  } finally {
    watch.stop();
  }
  return db.transaction(async () => {
    const { status } = requirePayment(await db.maybe(statements.lockPayment, [ref.payment_id]));
    await db.run(statements.awaitAttempt, [ref.payment_id, ref.attempt]);
    return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
  });
}
