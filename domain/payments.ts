import type { BankReason, BankStatus } from './bank/payments.ts';
import { addDays, londonDateOf, startOfLondonDay, type CalendarDate } from './dates.ts';
import { DomainError } from './errors.ts';
import type { Pence } from './money.ts';
import type { Problem } from './reconciliation/statuses.ts';

export const PAYEE_CATEGORIES = [
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
export type PayeeCategory = (typeof PAYEE_CATEGORIES)[number];

/** Who vouches that a payee is a genuine biller. */
export type VouchedBy = 'sandbox' | 'application' | 'operator';

export const PAYMENT_STATUSES = ['processing', 'pending', 'completed', 'failed', 'cancelled', 'returned'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What the bank knows of an attempt: nothing, perhaps something, or an accepted instruction with an id. */
export type Submission = 'none' | 'in_doubt' | 'accepted';

export interface PaymentFailure {
  code: string;
  detail: string;
  retryable: boolean;
}

/** Including the first. */
export const MAX_ATTEMPTS = 10;

/** The limits of how many payments go out on a day. Clients and API keys of a person have a limit of their own. */
export type PaymentCountKind = 'owner-count' | 'delegated-count' | 'application-count';

/** Production has no default. */
export const SANDBOX_COUNTS_PER_DAY = { owner: 10_000, app: 1_000_000 } as const;

const MAX_DAYS_AHEAD = 365;

/** Open Banking recognises repeats for 24 hours. One hour is a safety margin. */
export const SAFE_TO_REPEAT_MS = 23 * 3_600_000;

/** After this long with an unknown outcome, a payment needs an operator. */
export const ATTENTION_AFTER_MS = 24 * 3_600_000;

/** Faster Payments may take up to two hours. */
const SCHEME_LIMIT_MS = 2 * 3_600_000;

const NEXT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  processing: ['completed', 'failed', 'pending'],
  pending: ['processing', 'cancelled'],
  failed: ['processing'],
  completed: ['returned'],
  cancelled: [],
  returned: [],
};

/** The database enforces the same rule. */
export function mayBecome(from: PaymentStatus, to: PaymentStatus): boolean {
  return NEXT[from].includes(to);
}

/** Whether the money of a payment in this status is in its allocation again. */
export function givesBack(status: PaymentStatus): status is 'failed' | 'cancelled' | 'returned' {
  return status === 'failed' || status === 'cancelled' || status === 'returned';
}

/** A retry or a return by the bank can still change a settled payment. */
export function isSettled(status: PaymentStatus): boolean {
  return status !== 'processing' && status !== 'pending';
}

const COMPLETED: readonly BankStatus[] = ['ACSC', 'ACCC'];

/** Source: UK Open Banking 4.0 payment status codes. */
export function statusOf(bankStatus: BankStatus): 'processing' | 'completed' | 'failed' {
  if (COMPLETED.includes(bankStatus)) return 'completed';
  return bankStatus === 'RJCT' ? 'failed' : 'processing';
}

/** CANC does not prove that no money moved, so CANC counts as blocked. */
export function isBlocked(bankStatus: string | null): boolean {
  return bankStatus === 'BLCK' || bankStatus === 'CANC';
}

/** `restored`: it might be a payment that was ordered before a restore, and made. */
export type AttentionReason = 'restored' | 'outcome-unknown' | 'bank-blocked' | 'bank-contradicts' | Problem;

interface NeedsAttention {
  status: string;
  bank_status: string | null;
  /** What reconciliation found, of a payment of which the bank contradicts nothing. */
  problem?: Problem | null;
  doubted_by?: string | null;
}

export function attentionReasonOf(payment: NeedsAttention): AttentionReason {
  if (payment.doubted_by != null) return 'restored';
  if (payment.status !== 'processing') return payment.problem ?? 'bank-contradicts';
  if (isBlocked(payment.bank_status)) return 'bank-blocked';
  return payment.bank_status === 'UNKNOWN' ? 'outcome-unknown' : 'bank-contradicts';
}

/** Such as payment forbidden, payee deceased, account closed or moved, payee insolvent. */
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

/** These mean "already received" (ISO 20022 external codes, and OBExternalStatusReason1Code of Open Banking). */
const DUPLICATE = new Set(['AM05', 'DS15', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL', 'U013', 'U029', '1181']);

export function isDuplicate(code: string): boolean {
  return DUPLICATE.has(code);
}

/** An ISO 20022 reason concerns the payment, not one call. A duplicate does not prove that no money moved. */
export function provesNothingMoved(reason: BankReason): boolean {
  return /^[A-Z]{2}\d{2}$/.test(reason.code) && !isDuplicate(reason.code);
}

export function failureOf(reason: BankReason | null): PaymentFailure {
  const { code, detail } = reason ?? { code: 'MS03', detail: 'The bank gave no reason.' };
  return { code, detail, retryable: !NEVER_AGAIN.has(code) };
}

export interface BankNews {
  current: PaymentStatus;
  isCurrentAttempt: boolean;
  bankStatus: BankStatus;
  reasonCode: string | null;
  returned: boolean;
}

/** `steps` are new statuses, in order. A contradiction means that money moved, or may have, against the record. */
interface BankEffect {
  steps: PaymentStatus[];
  blocked: boolean;
  contradiction: boolean;
}

/** Late or repeated reports never move a payment backwards. */
export function effectOf(news: BankNews): BankEffect {
  const said = statusOf(news.bankStatus);
  const hadAlready = said === 'failed' && news.reasonCode !== null && isDuplicate(news.reasonCode);
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
  // A pending payment could still be cancelled. The bank already has this payment, so the status must be `processing`.
  if (status === 'pending') step('processing');
  if (hadAlready) return { steps, blocked: false, contradiction: status === 'processing' };
  if (status === 'processing' && said !== 'processing') step(said);
  if (status === 'completed' && (news.returned || said === 'failed')) step('returned');
  const contradiction = said === 'completed' && !news.returned && (status === 'failed' || status === 'cancelled');
  return { steps, blocked: status === 'processing' && isBlocked(news.bankStatus), contradiction };
}

/** Null if the payment is to be sent at once. */
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

/** 0 if the execution day has begun in London. */
export function msUntilDue(executeOn: CalendarDate | null, now: Date): number {
  if (executeOn === null) return 0;
  return Math.max(0, startOfLondonDay(executeOn).getTime() - now.getTime());
}

/** The latest time at which the payee should have the money. */
export function estimatedCompletion(executeOn: CalendarDate | null, now: Date): Date {
  return new Date(now.getTime() + msUntilDue(executeOn, now) + SCHEME_LIMIT_MS);
}

export function requireAvailable({ available }: { available: Pence }, amount: Pence): void {
  if (available >= amount) return;
  throw new DomainError(
    'insufficient-allocation',
    `The allocation holds ${available} pence, but the payment needs ${amount} pence.`,
    { available },
  );
}

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
      { payment_status: payment.status },
    );
  }
  if (payment.failure && !payment.failure.retryable) {
    throw new DomainError(
      'payment-not-retryable',
      `This payment cannot be retried, because it failed with the code ${payment.failure.code}. Make a new payment.`,
      { failure_code: payment.failure.code },
    );
  }
  if (payment.attention) {
    const detail =
      'The bank reports that it paid an attempt of this payment. An operator must first clear this up with the bank.';
    throw new DomainError('payment-not-retryable', detail, { attention: true });
  }
  if (payment.attempt >= MAX_ATTEMPTS) {
    throw new DomainError(
      'payment-attempts-exhausted',
      `The payment has already been attempted ${MAX_ATTEMPTS} times. Make a new payment.`,
      { attempts: payment.attempt },
    );
  }
}

export function requirePending(status: PaymentStatus): void {
  if (status === 'pending') return;
  throw new DomainError(
    'payment-not-pending',
    `Only a pending payment can be cancelled, but this payment is ${status}.`,
    { payment_status: status },
  );
}

export function requireResolvable(payment: { status: PaymentStatus; bank_status: string | null }): void {
  if (attentionReasonOf(payment) !== 'bank-contradicts') return;
  const detail = 'An operator can settle a payment only if the bank has blocked it, or if its outcome is unknown.';
  throw new DomainError('payment-not-unknown', detail, { payment_status: payment.status });
}
