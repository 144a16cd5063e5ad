import type { BankReason, BankStatus } from './bank.ts';
import { addDays, londonDateOf, startOfLondonDay, type CalendarDate } from './dates.ts';
import { DomainError } from './errors.ts';
import type { Pence } from './money.ts';

export const PROVIDER_CATEGORIES = [
  'HOUSING',
  'UTILITIES',
  'COUNCIL_TAX',
  'INSURANCE',
  'TELECOMS',
  'TRANSPORT',
  'CREDIT',
  'CHILDCARE',
  'SUBSCRIPTIONS',
  'SAVINGS',
  'OTHER',
] as const;
export type ProviderCategory = (typeof PROVIDER_CATEGORIES)[number];

/** Who confirms that a payee sends bills. Only payments to such payees count in a credential. */
export type VouchedBy = 'sandbox' | 'application' | 'operator';

export const PAYMENT_STATUSES = ['processing', 'pending', 'completed', 'failed', 'cancelled', 'returned'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What the bank has of an attempt, as far as we know: nothing, perhaps something, or the instruction with an id. */
export type Submission = 'none' | 'in_doubt' | 'accepted';

/** Why a payment failed; `retryable` says whether trying again can help. */
export interface PaymentFailure {
  code: string;
  detail: string;
  retryable: boolean;
}

/** 10 attempts at most, the first included. */
export const MAX_ATTEMPTS = 10;

/** How far ahead a payment may be scheduled, in days. */
export const MAX_DAYS_AHEAD = 365;

/**
 * How long after the first sending the bank still recognises a repeated instruction (Open Banking: 24 hours), less an
 * hour to be sure.
 */
export const SAFE_TO_REPEAT_MS = 23 * 3_600_000;

/** After this long an unknown outcome needs an operator. */
export const ATTENTION_AFTER_MS = 24 * 3_600_000;

/** Faster Payments normally takes seconds, and at most two hours. */
const SCHEME_LIMIT_MS = 2 * 3_600_000;

const NEXT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  processing: ['completed', 'failed', 'pending'],
  pending: ['processing', 'cancelled'],
  failed: ['processing'],
  completed: ['returned'],
  cancelled: [],
  returned: [],
};

/** Whether a payment may go from one status to the other. The database refuses all others too. */
export function mayBecome(from: PaymentStatus, to: PaymentStatus): boolean {
  return NEXT[from].includes(to);
}

/** Whether nothing more happens by itself. A failed payment may still be retried, and a completed one may come back. */
export function isSettled(status: PaymentStatus): boolean {
  return status !== 'processing' && status !== 'pending';
}

const COMPLETED: readonly BankStatus[] = ['ACSC', 'ACCC'];

/** Maps a bank's status to our status of the payment. Source: UK Open Banking 4.0 payment status codes. */
export function statusOf(bankStatus: BankStatus): 'processing' | 'completed' | 'failed' {
  if (COMPLETED.includes(bankStatus)) return 'completed';
  return bankStatus === 'RJCT' ? 'failed' : 'processing';
}

/**
 * Whether the bank has blocked the payment: the money is neither paid nor given back. CANC is not a status of a
 * variable recurring payment. It does not prove that no money moved, so it counts as a block too.
 */
export function isBlocked(bankStatus: string | null): boolean {
  return bankStatus === 'BLCK' || bankStatus === 'CANC';
}

/**
 * Why a payment needs an operator.
 * - `outcome-unknown`: nobody knows what the bank did.
 * - `bank-blocked`: the bank holds the payment.
 * - `bank-contradicts`: the bank disagrees with our record.
 */
export type AttentionReason = 'outcome-unknown' | 'bank-blocked' | 'bank-contradicts';

/** Why a flagged payment needs an operator. */
export function attentionReasonOf(payment: { status: string; bank_status: string | null }): AttentionReason {
  if (payment.status !== 'processing') return 'bank-contradicts';
  if (isBlocked(payment.bank_status)) return 'bank-blocked';
  return payment.bank_status === 'UNKNOWN' ? 'outcome-unknown' : 'bank-contradicts';
}

/** Reasons after which the same payment must not be tried again: forbidden, deceased, closed or transferred, insolvent. */
const NEVER_AGAIN = new Set([
  'AG01',
  'AG02',
  'MD07',
  'MD09',
  'AC05',
  'AC07',
  'LEGL',
  'RR04',
  'INSOLVENT',
  '1166',
  '1180',
]);

/**
 * Reasons that mean "already received": they do not prove that no money moved. Source: ISO 20022 external codes, Open
 * Banking.
 */
const HAD_ALREADY = new Set(['AM05', 'DS15', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL', 'U013', 'U029', '1181']);

/**
 * Whether a refusal proves that the attempt moved no money, although an earlier call for it got no clear answer. It
 * does if the bank judged the payment itself (an ISO 20022 reason), not just the request, such as its consent.
 */
export function provesNothingMoved(reason: BankReason): boolean {
  return /^[A-Z]{2}\d{2}$/.test(reason.code) && !HAD_ALREADY.has(reason.code);
}

/** The failure of a payment that the bank rejected for this reason. */
export function failureOf(reason: BankReason | null): PaymentFailure {
  const { code, detail } = reason ?? { code: 'MS03', detail: 'The bank gave no reason.' };
  return { code, detail, retryable: !NEVER_AGAIN.has(code) };
}

/** The bank's current view, and our record of the attempt it speaks of. */
export interface BankNews {
  current: PaymentStatus;
  isCurrentAttempt: boolean;
  bankStatus: BankStatus;
  reasonCode: string | null;
  returned: boolean;
}

/**
 * The effect of the bank's news.
 * - `steps`: the statuses that the payment goes through, in order; empty if there is nothing new.
 * - `blocked`: the bank holds the payment now.
 * - `contradiction`: money moved, or may have moved, although our record says that it did not.
 */
export interface BankEffect {
  steps: PaymentStatus[];
  blocked: boolean;
  contradiction: boolean;
}

/** The effect of the bank's news on a payment. Late or repeated news never moves a payment backwards. */
export function effectOf(news: BankNews): BankEffect {
  const said = statusOf(news.bankStatus);
  const hadAlready = said === 'failed' && news.reasonCode !== null && HAD_ALREADY.has(news.reasonCode);
  if (!news.isCurrentAttempt) {
    const contradiction = hadAlready ? !isSettled(news.current) : said === 'completed' && !news.returned;
    return { steps: [], blocked: false, contradiction };
  }
  const steps: PaymentStatus[] = [];
  let status = news.current;
  const step = (to: PaymentStatus) => {
    steps.push(to);
    status = to;
  };
  // A pending payment could be cancelled, but the bank already has this one.
  if (status === 'pending') step('processing');
  if (hadAlready) return { steps, blocked: false, contradiction: status === 'processing' };
  if (status === 'processing' && said !== 'processing') step(said);
  if (status === 'completed' && (news.returned || said === 'failed')) step('returned');
  const contradiction = said === 'completed' && !news.returned && (status === 'failed' || status === 'cancelled');
  return { steps, blocked: status === 'processing' && isBlocked(news.bankStatus), contradiction };
}

/**
 * The day on which a payment is to be made; null for at once.
 * @throws DomainError `execution-date-out-of-range` for a day that is past or too far ahead.
 */
export function scheduleOf(executeOn: CalendarDate | undefined, now: Date): CalendarDate | null {
  if (executeOn === undefined) return null;
  const today = londonDateOf(now);
  const last = addDays(today, MAX_DAYS_AHEAD);
  if (executeOn < today || executeOn > last) {
    throw new DomainError('execution-date-out-of-range', `execute_on must be a date from ${today} to ${last}.`, {
      earliest: today,
      latest: last,
    });
  }
  return executeOn;
}

/** Milliseconds until the day of execution begins in London; 0 if it has begun. */
export function msUntilDue(executeOn: CalendarDate | null, now: Date): number {
  if (executeOn === null) return 0;
  return Math.max(0, startOfLondonDay(executeOn).getTime() - now.getTime());
}

/** When the payee has the money at the latest, if all goes well. */
export function estimatedCompletion(executeOn: CalendarDate | null, now: Date): Date {
  return new Date(now.getTime() + msUntilDue(executeOn, now) + SCHEME_LIMIT_MS);
}

/** The money of a payment's allocation, as the rules about executing and retrying need it. */
export interface AllocationMoney {
  available: Pence;
}

/** @throws DomainError `insufficient-allocation` with `available` if the allocation holds less than `amount`. */
export function requireAvailable({ available }: AllocationMoney, amount: Pence): void {
  if (available >= amount) return;
  throw new DomainError(
    'insufficient-allocation',
    `The allocation holds ${available} pence, but the payment needs ${amount} pence.`,
    {
      available,
    },
  );
}

/** @throws DomainError unless a payment in this state may be tried again. */
export function requireRetryable(payment: {
  status: PaymentStatus;
  failure: PaymentFailure | null;
  attempt: number;
  attention: boolean;
}): void {
  if (payment.status !== 'failed') {
    throw new DomainError(
      'payment-not-failed',
      `Only a failed payment can be retried, but this payment is ${payment.status}.`,
      {
        payment_status: payment.status,
      },
    );
  }
  if (payment.failure && !payment.failure.retryable) {
    throw new DomainError(
      'payment-not-retryable',
      `This payment cannot be retried, because the bank rejected it with the reason ${payment.failure.code}. Make a new payment.`,
      {
        failure_code: payment.failure.code,
      },
    );
  }
  if (payment.attention) {
    const detail = 'The bank reports that it paid an earlier attempt. An operator must settle that attempt first.';
    throw new DomainError('payment-not-retryable', detail, { attention: true });
  }
  if (payment.attempt >= MAX_ATTEMPTS) {
    throw new DomainError(
      'payment-attempts-exhausted',
      `The payment was already attempted ${MAX_ATTEMPTS} times. Make a new payment.`,
      {
        attempts: payment.attempt,
      },
    );
  }
}

/** @throws DomainError `payment-not-pending` unless the bank has accepted nothing yet. */
export function requirePending(status: PaymentStatus): void {
  if (status === 'pending') return;
  throw new DomainError(
    'payment-not-pending',
    `Only a pending payment can be cancelled, but this payment is ${status}.`,
    {
      payment_status: status,
    },
  );
}

/** @throws DomainError `payment-not-unknown` unless the outcome is unknown or the bank has blocked the payment. */
export function requireResolvable(payment: { status: PaymentStatus; bank_status: string | null }): void {
  if (attentionReasonOf(payment) !== 'bank-contradicts') return;
  const detail = 'An operator can resolve a payment only if the bank blocked it or if its outcome is unknown.';
  throw new DomainError('payment-not-unknown', detail, { payment_status: payment.status });
}
