import type { BankPayment, SubmitOutcome } from '../../domain/bank/payments.ts';
import { pence } from '../../domain/money.ts';
import {
  failureOf,
  isSettled,
  provesNothingMoved,
  type PaymentFailure,
  type PaymentStatus,
} from '../../domain/payments.ts';
import { sendingOf } from '../../domain/sending.ts';
import * as payees from '../../infra/db/queries/payees.ts';
import { claimAgain } from '../../infra/db/queries/payment-changes.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { LockedPayment, PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { isDisabled } from '../auth/enabled.ts';
import { attemptInReach } from '../reach.ts';
import { houseAccess, paidBy } from './house.ts';
import { missingEvidence } from './limits.ts';
import { recordNews } from './news.ts';
import { isRemoved, payeeAccount } from './payees.ts';
import { changePayment, lockPayment, markPayment, type AttemptRef } from './record.ts';
import { ACCOUNT_DISABLED, failUnsent, onItsWay } from './unsent.ts';

/**
 * How a submission ended.
 * - `settled`: nothing is left to do; `status` is the outcome.
 * - `accepted`: the bank has the payment; its settlement signals the workflow.
 * - `unavailable`: the bank does not have the payment; try again.
 * - `unknown`: the bank may have the payment; ask again.
 * - `expired`: asking again is no longer safe; an operator decides.
 */
export interface SubmissionResult {
  outcome: 'settled' | 'accepted' | 'unavailable' | 'unknown' | 'expired';
  status: PaymentStatus;
}

export const ACTOR = 'payments-workflow';

/** `sends` counts how often the attempt was claimed for sending, including this time. */
type Claim =
  | { kind: 'over'; status: PaymentStatus }
  | { kind: 'taken' | 'early' | 'expired' }
  | { kind: 'submit'; payment: PaymentRow; bankRef: string; wasInDoubt: boolean; sends: number };

type ClaimToSubmit = Extract<Claim, { kind: 'submit' }>;
type Accepted = Extract<SubmitOutcome, { kind: 'accepted' }>;
type NotTaken = Exclude<SubmitOutcome, { kind: 'accepted' }>;

/** While an attempt is claimed, its payment cannot be cancelled. */
export async function claimSubmission(services: Services, ref: AttemptRef): Promise<Claim> {
  const fresh = await services.db.maybe(queries.claimFresh(ref));
  if (!fresh) return claimLocked(services, ref);
  const { bank_ref: bankRef, sends, ...payment } = fresh;
  return { kind: 'submit', payment, bankRef, sends, wasInDoubt: false };
}

/** For an attempt that `claimFresh` did not claim, for example because the bank may already have its payment. */
async function claimLocked(services: Services, { payment_id, attempt }: AttemptRef): Promise<Claim> {
  const { db, clock } = services;
  return db.transaction(async (tx): Promise<Claim> => {
    const at = await clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    const wasInDoubt = payment.submission === 'in_doubt';
    const sending = sendingOf(payment, { attempt, now: at, realNow: new Date() });
    if (sending === 'over') return { kind: 'over', status: payment.status };
    if (sending !== 'send') return { kind: sending };
    const refused = await refusalToSend(payment, services);
    const by = { actor: ACTOR, at };
    if (refused) {
      await failUnsent(payment, services, { failure: refused, ...by });
      return { kind: 'over', status: 'failed' };
    }
    const { sends } = await payment.owner.one(claimAgain(payment));
    const { bank_ref: bankRef } = await tx.one(payees.payeeToPay(payment.provider_id));
    const sent = payment.status === 'processing' ? payment : await onItsWay(payment, services, by);
    return { kind: 'submit', payment: sent, bankRef, wasInDoubt, sends };
  });
}

/**
 * Returns null also if the bank may already have the payment. Otherwise a refusal could return the money while the bank
 * still pays it out.
 */
async function refusalToSend(
  payment: LockedPayment,
  services: Pick<Services, 'config'>,
): Promise<PaymentFailure | null> {
  const { owner } = payment;
  if (payment.submission !== 'none') return null;
  if (await isDisabled(owner.tx, owner.id)) return ACCOUNT_DISABLED;
  if (await isRemoved(owner.tx, payment.provider_id)) return PAYEE_REMOVED;
  if (payment.status !== 'pending') return null;
  if (!(await attemptInReach(payment))) return OUT_OF_REACH;
  return (await missingEvidence(owner, services, payment)) === null ? null : NOT_EVIDENCED;
}

const PAYEE_REMOVED: PaymentFailure = {
  code: 'unknown-provider',
  detail: 'The payee was removed before the payment was sent.',
  retryable: false,
};
const OUT_OF_REACH: PaymentFailure = {
  code: 'owner-of-another-application',
  detail: 'The caller who requested the payment is no longer allowed to act for the owner.',
  retryable: true,
};
const NOT_EVIDENCED: PaymentFailure = {
  code: 'income-not-evidenced',
  detail: "The owner's asserted income does not cover the payment.",
  retryable: true,
};

export async function submit(services: Services, claim: ClaimToSubmit): Promise<SubmissionResult> {
  const { payment, bankRef } = claim;
  const outcome = await paidBy(services).pay(await houseAccess(services), {
    paymentId: payment.payment_id,
    attempt: payment.attempt,
    amount: pence(payment.amount),
    currency: 'GBP',
    reference: payment.reference,
    payee: await payeeAccount(services, bankRef),
    agreed: null,
  });
  if (outcome.kind !== 'accepted') return recordNotTaken(services, claim, outcome);
  const status = await recordNews(services, payment, await newsOf(services, claim, outcome));
  return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
}

/**
 * If the attempt might have been sent before, asks the bank, because the bank might have repeated its first response.
 */
async function newsOf(services: Services, { wasInDoubt }: ClaimToSubmit, accepted: Accepted): Promise<BankPayment> {
  if (wasInDoubt) return paidBy(services).payment(accepted.bankPaymentId);
  return { ...accepted, returned: accepted.returned ?? null };
}

/** The response concerns this call. If the attempt was also sent in another call, money may still have moved. */
async function recordNotTaken(
  services: Services,
  { payment: { payment_id, attempt }, wasInDoubt, sends }: ClaimToSubmit,
  outcome: NotTaken,
): Promise<SubmissionResult> {
  const { db, clock } = services;
  return db.transaction(async (tx): Promise<SubmissionResult> => {
    const at = await clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    if (payment.attempt !== attempt || isSettled(payment.status)) return { outcome: 'settled', status: payment.status };
    if (payment.submission === 'accepted') return { outcome: 'accepted', status: payment.status };
    const onlyCall = !wasInDoubt && payment.sends === sends;
    if (outcome.kind === 'refused' && (onlyCall || provesNothingMoved(outcome.reason))) {
      const failure = failureOf(outcome.reason);
      const detail = `The bank rejected the payment: ${failure.code}.`;
      await changePayment(payment, services, { to: 'failed', detail, actor: ACTOR, at, failure, bankStatus: null });
      return { outcome: 'settled', status: 'failed' };
    }
    if (outcome.kind === 'not-accepted' && onlyCall) {
      const detail = 'The bank has not accepted the payment yet. The service will try again.';
      const change = { detail, actor: ACTOR, at, bankStatus: null, submission: 'none' } as const;
      await changePayment(payment, services, { to: 'pending', ...change });
      return { outcome: 'unavailable', status: 'pending' };
    }
    if (payment.bank_status !== 'UNKNOWN') {
      const detail =
        'The payment was sent, but the bank gave no clear response. The service is asking the bank for the outcome.';
      await markPayment(payment, services, { attention: payment.attention, bankStatus: 'UNKNOWN', at, detail });
    }
    return { outcome: 'unknown', status: 'processing' };
  });
}
