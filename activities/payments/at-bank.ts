import type { BankPayment, SubmitOutcome } from '../../domain/bank.ts';
import { pence } from '../../domain/money.ts';
import {
  effectOf,
  failureOf,
  isSettled,
  msUntilDue,
  provesNothingMoved,
  SAFE_TO_REPEAT_MS,
  type BankNews,
  type PaymentStatus,
} from '../../domain/payments.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { payeeAccount } from './providers.ts';
import { changePayment, lockWithOwner, requirePayment } from './record.ts';

/** One attempt at one payment. */
export interface AttemptRef {
  payment_id: string;
  attempt: number;
}

/**
 * How a submission ended. `settled`: nothing is left to do, `status` says how. `accepted`: the bank has it; the workflow
 * will be told. `unavailable`: the bank has nothing, try again. `unknown`: it may have it, ask again. `expired`: asking
 * again is no longer safe; an operator decides.
 */
export interface SubmissionResult {
  outcome: 'settled' | 'accepted' | 'unavailable' | 'unknown' | 'expired';
  status: PaymentStatus;
}

const ACTOR = 'payments-workflow';

/** What the workflow of a payment does at the bank, and what the bank's news does to payments. */
export function bankActivities(services: Services) {
  const { db, bank, clock, changes } = services;

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
      });
    },

    /** The status on record. */
    async readStatus({ payment_id }: AttemptRef): Promise<PaymentStatus> {
      return requirePayment(await db.maybe(statements.paymentById, [payment_id])).status;
    },
  };

  /** Waits for the row to settle; where it does not in time, whoever settles it will tell the workflow. */
  async function awaitSettlement(
    all: Services,
    ref: AttemptRef & { settle_within_ms: number },
  ): Promise<SubmissionResult> {
    const deadline = Date.now() + ref.settle_within_ms;
    const watch = await changes.watch(ref.payment_id);
    try {
      for (;;) {
        const { status } = await all.db.one(statements.paymentById, [ref.payment_id]);
        if (isSettled(status)) return { outcome: 'settled', status };
        const left = deadline - Date.now();
        if (left <= 0) break;
        await watch.next(left);
      }
    } finally {
      watch.stop();
    }
    return all.db.transaction(async () => {
      const { status } = requirePayment(await all.db.maybe(statements.lockPayment, [ref.payment_id]));
      await all.db.run(statements.awaitAttempt, [ref.payment_id, ref.attempt]);
      return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
    });
  }
}

type Claim =
  | { kind: 'over'; status: PaymentStatus }
  | { kind: 'taken' }
  | { kind: 'expired' }
  | { kind: 'submit'; payment: PaymentRow; bankRef: string; wasInDoubt: boolean };

/** Decides whether this attempt is to be sent; from here on it cannot be cancelled. */
async function claimSubmission(services: Services, ref: AttemptRef): Promise<Claim> {
  const fresh = await services.db.maybe(statements.claimFresh, [ref.payment_id, ref.attempt]);
  if (!fresh) return claimLocked(services, ref);
  const { bank_ref: bankRef, ...payment } = fresh;
  return { kind: 'submit', payment, bankRef, wasInDoubt: false };
}

/** The same for a payment that was pending, or that was or may have been sent before. */
async function claimLocked(services: Services, { payment_id, attempt }: AttemptRef): Promise<Claim> {
  const { db, clock } = services;
  return db.transaction(async (): Promise<Claim> => {
    const at = await clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    if (payment.attempt !== attempt || isSettled(payment.status)) return { kind: 'over', status: payment.status };
    const { submission, first_sent_at } = payment;
    if (submission === 'accepted') return { kind: 'taken' };
    const wasInDoubt = submission === 'in_doubt';
    const sentMsAgo = first_sent_at ? Date.now() - Date.parse(first_sent_at) : 0;
    if (wasInDoubt && sentMsAgo > SAFE_TO_REPEAT_MS) return { kind: 'expired' };
    if (!wasInDoubt) await db.run(statements.changeSubmission, [payment_id, attempt, 'in_doubt', null]);
    const { bank_ref: bankRef } = await db.one(statements.providerById, [payment.provider_id]);
    if (payment.status === 'processing') return { kind: 'submit', payment, bankRef, wasInDoubt };
    const change = { to: 'processing', detail: 'On its way to the bank.', actor: ACTOR, at } as const;
    return { kind: 'submit', payment: await changePayment(services, payment, change), bankRef, wasInDoubt };
  });
}

async function submit(services: Services, claim: Extract<Claim, { kind: 'submit' }>): Promise<SubmissionResult> {
  const { payment, bankRef, wasInDoubt } = claim;
  const outcome = await services.bank.submitPayment({
    paymentId: payment.payment_id,
    attempt: payment.attempt,
    amount: pence(payment.amount),
    currency: 'GBP',
    reference: payment.reference,
    providerId: payment.provider_id,
    payee: await payeeAccount(services, bankRef),
  });
  if (outcome.kind === 'accepted') {
    // The event that told of a return may have come, and gone, before this payment was on record at the bank.
    const status = await recordNews(services, payment, { ...outcome, returned: outcome.returned ?? null });
    return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
  }
  return recordNotTaken(services, payment, outcome, wasInDoubt);
}

/** Records that the bank refused the attempt, did not get it, or left us not knowing. */
async function recordNotTaken(
  services: Services,
  { payment_id, attempt }: AttemptRef,
  outcome: Exclude<SubmitOutcome, { kind: 'accepted' }>,
  wasInDoubt: boolean,
): Promise<SubmissionResult> {
  const { db, clock } = services;
  return db.transaction(async (): Promise<SubmissionResult> => {
    const at = await clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    if (payment.attempt !== attempt || isSettled(payment.status)) return { outcome: 'settled', status: payment.status };
    if (outcome.kind === 'refused' && (!wasInDoubt || provesNothingMoved(outcome.reason))) {
      const failure = failureOf(outcome.reason);
      const detail = `The bank refused the payment: ${failure.code}.`;
      await changePayment(services, payment, { to: 'failed', detail, actor: ACTOR, at, failure, bankStatus: null });
      return { outcome: 'settled', status: 'failed' };
    }
    if (outcome.kind === 'not-accepted' && !wasInDoubt) {
      await db.run(statements.changeSubmission, [payment_id, attempt, 'none', null]);
      const detail = 'The bank cannot be reached; it has accepted nothing. The next try is scheduled.';
      await changePayment(services, payment, { to: 'pending', detail, actor: ACTOR, at, bankStatus: null });
      return { outcome: 'unavailable', status: 'pending' };
    }
    if (payment.bank_status !== 'UNKNOWN') {
      await setAside(services, payment, { attention: payment.attention, bankStatus: 'UNKNOWN', at });
      const detail = 'Sent, but the bank gave no clear answer; asking again.';
      await db.run(statements.insertEvent, [payment_id, payment.status, attempt, detail, at]);
    }
    return { outcome: 'unknown', status: 'processing' };
  });
}

/** Records what the bank says of an attempt. @returns the payment's status after it. */
async function recordNews(
  services: Services,
  { payment_id, attempt }: AttemptRef,
  news: BankPayment,
): Promise<PaymentStatus> {
  const { db, clock } = services;
  return db.transaction(async () => {
    const at = await clock.now();
    const opened = await lockWithOwner(services, payment_id, at, attempt);
    const { steps, contradiction } = effectOf(
      newsFor({ attempt, current_attempt: opened.attempt, payment_status: opened.status }, news),
    );
    const accepted = { submission: 'accepted', bankPaymentId: news.bankPaymentId } as const;
    if (opened.submission !== 'accepted' && steps.length === 0) {
      await db.run(statements.changeSubmission, [payment_id, attempt, accepted.submission, accepted.bankPaymentId]);
    }
    let payment: PaymentRow = opened;
    for (const to of steps) payment = await changePayment(services, payment, { ...stepOf(to, news, at), ...accepted });
    if (contradiction) await reportContradiction(services, payment, attempt, news, at);
    else if (steps.length === 0 && !isSettled(payment.status) && payment.bank_status !== news.status) {
      await setAside(services, payment, { attention: payment.attention, bankStatus: news.status, at });
    }
    return payment.status;
  });
}

interface Known {
  attempt: number;
  current_attempt: number;
  payment_status: PaymentStatus;
}

function newsFor({ attempt, current_attempt, payment_status }: Known, news: BankPayment): BankNews {
  return {
    current: payment_status,
    isCurrentAttempt: current_attempt === attempt,
    bankStatus: news.status,
    reasonCode: news.reason?.code ?? null,
    returned: news.returned !== null,
  };
}

function tellsNothing(known: Known, news: BankPayment): boolean {
  const { steps, contradiction } = effectOf(newsFor(known, news));
  return steps.length === 0 && !contradiction;
}

function stepOf(to: PaymentStatus, news: BankPayment, at: Date) {
  const base = { to, actor: 'bank', at, bankStatus: news.status, attention: false };
  if (to === 'completed') return { ...base, detail: 'The bank settled the payment.' };
  if (to === 'returned') {
    return { ...base, detail: `The money came back: ${news.returned?.reason.code ?? 'no reason given'}.` };
  }
  if (to === 'failed') {
    const failure = failureOf(news.reason);
    return { ...base, detail: `The bank rejected the payment: ${failure.code}.`, failure };
  }
  return { ...base, detail: 'The bank has the payment.' };
}

/** The bank says that it moved money which we hold for not moved: an operator must look, nothing is guessed. */
async function reportContradiction(
  services: Services,
  payment: PaymentRow,
  attempt: number,
  news: BankPayment,
  at: Date,
) {
  services.log.error(
    { payment_id: payment.payment_id, attempt, bank_status: news.status },
    'bank contradicts the record',
  );
  if (payment.attention) return;
  const bankStatus = isSettled(payment.status) || payment.attempt !== attempt ? payment.bank_status : 'UNKNOWN';
  await setAside(services, payment, { attention: true, bankStatus, at });
  const data = { attempt, status: payment.status, bank_status: news.status };
  await audit(services, { subject: payment.payment_id, kind: 'payment.contradiction', actor: 'bank', data, at });
}

/** Changes what the row says besides its status. */
async function setAside(
  { db }: Services,
  payment: PaymentRow,
  { attention, bankStatus, at }: { attention: boolean; bankStatus: string | null; at: Date },
): Promise<void> {
  await db.run(statements.updatePayment, [
    payment.payment_id,
    payment.status,
    bankStatus,
    payment.failure && JSON.stringify(payment.failure),
    attention,
    payment.attempt,
    payment.estimated_completion,
    at,
  ]);
}
