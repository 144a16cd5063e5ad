import { requireWhole } from '../../domain/arguments.ts';
import type { BankRecord } from '../../domain/bank/payments.ts';
import { DomainError } from '../../domain/errors.ts';
import { isBlocked, isSettled, MAX_ATTEMPTS, type PaymentStatus } from '../../domain/payments.ts';
import { isForgotten } from '../../domain/sending.ts';
import { UnknownToBank } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { onceDone } from '../once-done.ts';
import { ACTOR, claimSubmission } from './claim.ts';
import { bankOf } from './consent.ts';
import { recordNews, addsNothing } from './news.ts';
import { askForTurn, msToWait } from './pending.ts';
import { lockPayment, markPayment, requirePayment, type AttemptRef } from './record.ts';
import { submit, type SubmissionResult } from './submission.ts';

/** Limits how long a waiting activity occupies a worker's slot. */
const MOST_WAIT_MS = 60_000;

/** The share of a worker's slots in which payments may wait to settle. The other slots stay free for payments to be sent. */
const SHARE_TO_SETTLE = 0.75;

type ToSettle = AttemptRef & { settle_within_ms: number };

interface BankNewsRef {
  bank_id: string;
  bank_payment_id: string;
}

/** The activities do not trust their arguments, because anybody with access to Temporal can call them. */
export function bankActivities(services: Services) {
  const { db, clock } = services;
  const settlement = settlements(services);

  return {
    msUntilDue: ({ payment_id }: AttemptRef) => msToWait(services, payment_id),

    askForTurn(ref: AttemptRef): Promise<boolean> {
      requireAttempt(ref);
      return askForTurn(services, ref);
    },

    /**
     * Safe to repeat. The bank recognises the attempt's idempotency key, and an attempt with a known outcome is not
     * sent again.
     */
    async submitPayment(ref: ToSettle): Promise<SubmissionResult> {
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
      return settlement(ref);
    },

    /** If the bank has not accepted the attempt, returns the stored status. */
    async checkPayment({ payment_id, attempt }: AttemptRef): Promise<PaymentStatus> {
      requireAttempt({ payment_id, attempt });
      const found = await db.maybe(queries.attemptOf({ payment_id, attempt }));
      if (found === undefined) throw new DomainError('not-found', 'The payment has no attempt with this number.');
      const { bank_id, bank_payment_id } = found;
      if (bank_payment_id === null) return requirePayment(await db.maybe(queries.paymentById(payment_id))).status;
      return recordNews(services, { payment_id, attempt }, await bankOf(services, bank_id).payment(bank_payment_id));
    },

    /**
     * The bank can have a payment whose id we never got. Its record names the attempt then.
     * @returns false if the payment is not ours.
     */
    async recordBankEvent({ bank_id, bank_payment_id }: BankNewsRef): Promise<boolean> {
      const stored = await db.maybe(queries.attemptAtBank(bank_id, bank_payment_id));
      const news = await bankOf(services, bank_id)
        .payment(bank_payment_id)
        .catch((error: unknown) => {
          // An event about our own payment must be delivered again, even if a gateway responds with 404 for a while.
          if (stored === undefined && error instanceof UnknownToBank) return undefined;
          throw error;
        });
      if (news === undefined) return false;
      const known = stored ?? (await namedBy(services, bank_id, news));
      if (!known) return false;
      // Most events repeat the bank's response to the submission. Such events change nothing, so they need no lock.
      if (!(isSettled(known.payment_status) && addsNothing(known, news))) await recordNews(services, known, news);
      return true;
    },

    /** Flags a payment whose outcome is still unknown long after submission. */
    async markAttention({ payment_id, attempt }: AttemptRef): Promise<void> {
      await db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const payment = await lockPayment(tx, payment_id, at);
        if (payment.attention || isSettled(payment.status) || payment.attempt !== attempt) return;
        if (!isForgotten(payment, new Date())) return;
        // If a worker died while submitting the payment, nobody knows whether the bank received it.
        const isUnknown = payment.submission === 'in_doubt' && !isBlocked(payment.bank_status);
        const bankStatus = isUnknown ? 'UNKNOWN' : payment.bank_status;
        const audit = { kind: 'payment.attention', actor: ACTOR, data: {} } as const;
        await markPayment(payment, services, { attention: true, bankStatus, at, audit });
      });
    },

    async readFailure({ payment_id }: AttemptRef): Promise<{ code: string; retryable: boolean } | null> {
      const { failure } = requirePayment(await db.maybe(queries.paymentById(payment_id)));
      return failure && { code: failure.code, retryable: failure.retryable };
    },

    /** A blocked payment waits for the bank's final status or an operator's decision. */
    async readBlocked({ payment_id }: AttemptRef): Promise<boolean> {
      const { status, bank_status } = requirePayment(await db.maybe(queries.paymentById(payment_id)));
      return status === 'processing' && isBlocked(bank_status);
    },

    /** If a retry followed the attempt, the status is `failed`. */
    async readStatus({ payment_id, attempt }: AttemptRef): Promise<PaymentStatus> {
      const payment = requirePayment(await db.maybe(queries.paymentById(payment_id)));
      return attempt < payment.attempt ? 'failed' : payment.status;
    },
  };
}

async function namedBy({ db }: Services, bankId: string, { instruction }: BankRecord) {
  if (instruction === null) return undefined;
  const { paymentId: payment_id, attempt } = instruction;
  return db.maybe(queries.attemptWithoutBankId(bankId, { payment_id, attempt }));
}

function requireAttempt({ attempt }: AttemptRef): void {
  requireWhole('/attempt', attempt, { least: 1, most: MAX_ATTEMPTS });
}

/** If too many payments wait for their settlement, the next ones do not wait. */
function settlements(services: Services): (ref: ToSettle) => Promise<SubmissionResult> {
  let waiting = 0;
  return async (ref) => {
    const mayWait = waiting < SHARE_TO_SETTLE * services.config.worker.paymentActivities;
    waiting += 1;
    try {
      return await awaitSettlement(services, mayWait ? ref : { ...ref, settle_within_ms: 0 });
    } finally {
      waiting -= 1;
    }
  };
}

/** If the payment settles later, the workflow gets a signal. */
async function awaitSettlement(services: Services, ref: ToSettle): Promise<SubmissionResult> {
  const { db } = services;
  const waited = await onceDone(services, ref.payment_id, {
    read: () => db.one(queries.paymentById(ref.payment_id)),
    isDone: ({ status, bank_status }) => isSettled(status) || isBlocked(bank_status),
    withinMs: ref.settle_within_ms,
  });
  if (isSettled(waited.status)) return { outcome: 'settled', status: waited.status };
  const { status } = await db.one(queries.awaitAttempt(ref));
  return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
}
