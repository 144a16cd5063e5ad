import { requireWhole } from '../../domain/arguments.ts';
import { DomainError } from '../../domain/errors.ts';
import { isBlocked, isSettled, MAX_ATTEMPTS, msUntilDue, type PaymentStatus } from '../../domain/payments.ts';
import { isForgotten } from '../../domain/sending.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { recordNews, tellsNothing } from './news.ts';
import { lockWithOwner, requirePayment, setAside, type AttemptRef } from './record.ts';
import { ACTOR, claimSubmission, submit, type SubmissionResult } from './submission.ts';

/** The most that an activity waits for a payment to settle; whoever waits takes a place of the worker. */
const MOST_WAIT_MS = 60_000;

/**
 * What the workflow of a payment does at the bank, and what the bank's news does to payments. Of a payment they believe its row,
 * the bank and the clock: who calls them may be anybody who reaches Temporal.
 */
export function bankActivities(services: Services) {
  const { db, bank, clock } = services;

  return {
    /** How long until the payment's day begins, in milliseconds; 0 when it has or the payment is not pending any more. */
    async msUntilDue({ payment_id }: AttemptRef): Promise<number> {
      const payment = requirePayment(await db.maybe(statements.paymentById(payment_id)));
      return payment.status === 'pending' ? msUntilDue(payment.execute_on, await clock.now()) : 0;
    },

    /**
     * Hands an attempt to the bank and, where it is taken, waits a moment for it to settle. Safe to run again at any
     * point: the bank knows the attempt by its idempotency key, and what is already known is not asked for twice.
     */
    async submitPayment(ref: AttemptRef & { settle_within_ms: number }): Promise<SubmissionResult> {
      requireAttempt(ref);
      requireWhole('/settle_within_ms', ref.settle_within_ms, { least: 0, most: MOST_WAIT_MS });
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
      requireAttempt({ payment_id, attempt });
      const found = await db.maybe(statements.attemptOf({ payment_id, attempt }));
      if (found === undefined) throw new DomainError('not-found', 'There is no such attempt at a payment.');
      const { bank_payment_id } = found;
      if (bank_payment_id === null) return requirePayment(await db.maybe(statements.paymentById(payment_id))).status;
      return recordNews(services, { payment_id, attempt }, await bank.readPayment(bank_payment_id));
    },

    /** The bank says that something happened to a payment. @returns false when the payment is none of ours (yet). */
    async bankTold({ bank_payment_id }: { bank_payment_id: string }): Promise<boolean> {
      const known = await db.maybe(statements.attemptAtBank(bank_payment_id));
      if (!known) return false;
      const news = await bank.readPayment(bank_payment_id);
      // Most events tell what the submission's own answer told; those need no lock.
      if (!(isSettled(known.payment_status) && tellsNothing(known, news))) await recordNews(services, known, news);
      return true;
    },

    /** Puts a payment whose outcome stayed unknown before an operator; once, and not before it was sent long ago. */
    async markAttention({ payment_id, attempt }: AttemptRef): Promise<void> {
      await db.transaction(async () => {
        const at = await clock.now();
        const payment = await lockWithOwner(services, payment_id, at);
        if (payment.attention || isSettled(payment.status) || payment.attempt !== attempt) return;
        if (!isForgotten(payment, new Date())) return;
        // A worker that died while it sent the payment left no word of the bank.
        const isUnknown = payment.submission === 'in_doubt' && !isBlocked(payment.bank_status);
        const bankStatus = isUnknown ? 'UNKNOWN' : payment.bank_status;
        await setAside(services, payment, { attention: true, bankStatus, at });
        await audit(services, { subject: payment_id, kind: 'payment.attention', actor: ACTOR, data: {}, at });
        db.afterCommit(() => services.metrics.payments.inc({ event: 'attention' }));
      });
    },

    /** Why the payment failed, by the bank's code; null where it did not. */
    async readFailure({ payment_id }: AttemptRef): Promise<{ code: string; retryable: boolean } | null> {
      const { failure } = requirePayment(await db.maybe(statements.paymentById(payment_id)));
      return failure && { code: failure.code, retryable: failure.retryable };
    },

    /** Whether the bank holds the payment, so that only its final word or an operator's settles it. */
    async readBlocked({ payment_id }: AttemptRef): Promise<boolean> {
      const { status, bank_status } = requirePayment(await db.maybe(statements.paymentById(payment_id)));
      return status === 'processing' && isBlocked(bank_status);
    },

    /** The status of an attempt on record: one that another attempt followed had failed. */
    async readStatus({ payment_id, attempt }: AttemptRef): Promise<PaymentStatus> {
      const payment = requirePayment(await db.maybe(statements.paymentById(payment_id)));
      return attempt < payment.attempt ? 'failed' : payment.status;
    },
  };
}

/** @throws DomainError `invalid-request` for a number that no attempt has. */
function requireAttempt({ attempt }: AttemptRef): void {
  requireWhole('/attempt', attempt, { least: 1, most: MAX_ATTEMPTS });
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
      const { status, bank_status } = await db.one(statements.paymentById(ref.payment_id));
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
    const { status } = requirePayment(await db.maybe(statements.lockPayment(ref.payment_id)));
    await db.run(statements.awaitAttempt(ref));
    return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
  });
}
