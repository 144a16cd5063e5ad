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

/** Who says that a payee is one that sends bills: only payments to such payees count in a credential. */
export type VouchedBy = 'sandbox' | 'application' | 'operator';

export const PAYMENT_STATUSES = ['processing', 'pending', 'completed', 'failed', 'cancelled', 'returned'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What the bank is known to have of an attempt: nothing, perhaps something, or the instruction with an id. */
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

/** For how long after the first sending the bank still recognises a repeated instruction (Open Banking: 24 hours), less an hour to be sure. */
export const SAFE_TO_REPEAT_MS = 23 * 3_600_000;

/** After how long an unknown outcome is put before an operator. */
export const ATTENTION_AFTER_MS = 24 * 3_600_000;

/** Faster Payments takes seconds as a rule and two hours at most. */
const SCHEME_LIMIT_MS = 2 * 3_600_000;

const NEXT: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  processing: ['completed', 'failed', 'pending'],
  pending: ['processing', 'cancelled'],
  failed: ['processing'],
  completed: ['returned'],
  cancelled: [],
  returned: [],
};

/** Whether a payment may go from one status to the other. The database refuses the rest as well. */
export function mayBecome(from: PaymentStatus, to: PaymentStatus): boolean {
  return NEXT[from].includes(to);
}

/** Whether nothing more happens by itself; a failed payment may be retried, a completed one may come back. */
export function isSettled(status: PaymentStatus): boolean {
  return status !== 'processing' && status !== 'pending';
}

const COMPLETED: readonly BankStatus[] = ['ACSC', 'ACCC'];

/** What a bank's status means for the payment. Source: UK Open Banking 4.0 payment status codes. */
export function statusOf(bankStatus: BankStatus): 'processing' | 'completed' | 'failed' {
  if (COMPLETED.includes(bankStatus)) return 'completed';
  return bankStatus === 'RJCT' ? 'failed' : 'processing';
}

/**
 * Whether the bank has blocked the payment: the money is neither paid nor given back. CANC is no status of a variable
 * recurring payment, so it does not prove that nothing moved and counts as a block too.
 */
export function isBlocked(bankStatus: string | null): boolean {
  return bankStatus === 'BLCK' || bankStatus === 'CANC';
}

/**
 * Why a payment needs an operator. `outcome-unknown`: nobody knows what the bank did. `bank-blocked`: the bank holds the
 * payment. `bank-contradicts`: the bank says something else than what is on record.
 */
export type AttentionReason = 'outcome-unknown' | 'bank-blocked' | 'bank-contradicts';

/** Why a payment that is marked for an operator needs one. */
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

/** Reasons that mean "I had this already": they do not tell that nothing moved. Source: ISO 20022 external codes, Open Banking. */
const HAD_ALREADY = new Set(['AM05', 'DS15', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL', 'U013', 'U029', '1181']);

/**
 * Whether a refusal settles that the attempt moved nothing, although an earlier call for it got no clear answer. It does
 * where the bank judged the payment itself (an ISO 20022 reason) and not merely the request, such as its consent.
 */
export function provesNothingMoved(reason: BankReason): boolean {
  return /^[A-Z]{2}\d{2}$/.test(reason.code) && !HAD_ALREADY.has(reason.code);
}

/** The failure of a payment that the bank rejected for this reason. */
export function failureOf(reason: BankReason | null): PaymentFailure {
  const { code, detail } = reason ?? { code: 'MS03', detail: 'The bank gave no reason.' };
  return { code, detail, retryable: !NEVER_AGAIN.has(code) };
}

/** What the bank says now, set against what is on record for the attempt it speaks of. */
export interface BankNews {
  current: PaymentStatus;
  isCurrentAttempt: boolean;
  bankStatus: BankStatus;
  reasonCode: string | null;
  returned: boolean;
}

/**
 * `steps`: the statuses that the payment goes through because of the bank's news, in order; empty when it tells nothing new.
 * `blocked`: the bank holds the payment now. `contradiction`: money moved that we hold for not moved, or may have.
 */
export interface BankEffect {
  steps: PaymentStatus[];
  blocked: boolean;
  contradiction: boolean;
}

/** What the bank's news does to a payment. Nothing late or repeated moves a payment backwards. */
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
  // A pending payment could be cancelled, but the bank has this one.
  if (status === 'pending') step('processing');
  if (hadAlready) return { steps, blocked: false, contradiction: status === 'processing' };
  if (status === 'processing' && said !== 'processing') step(said);
  if (status === 'completed' && (news.returned || said === 'failed')) step('returned');
  const contradiction = said === 'completed' && !news.returned && (status === 'failed' || status === 'cancelled');
  return { steps, blocked: status === 'processing' && isBlocked(news.bankStatus), contradiction };
}

/**
 * When a payment is to be made: null for at once.
 * @throws DomainError `execution-date-out-of-range` for a day that is past or too far ahead.
 */
export function scheduleOf(executeOn: CalendarDate | undefined, now: Date): CalendarDate | null {
  if (executeOn === undefined) return null;
  const today = londonDateOf(now);
  const last = addDays(today, MAX_DAYS_AHEAD);
  if (executeOn < today || executeOn > last) {
    throw new DomainError('execution-date-out-of-range', `execute_on must be from ${today} to ${last}.`, {
      earliest: today,
      latest: last,
    });
  }
  return executeOn;
}

/** How long until the day of execution begins in London; 0 when it has. */
export function msUntilDue(executeOn: CalendarDate | null, now: Date): number {
  if (executeOn === null) return 0;
  return Math.max(0, startOfLondonDay(executeOn).getTime() - now.getTime());
}

/** By when the money is with the payee at the latest, if all goes well. */
export function estimatedCompletion(executeOn: CalendarDate | null, now: Date): Date {
  return new Date(now.getTime() + msUntilDue(executeOn, now) + SCHEME_LIMIT_MS);
}

/** A payment's money and where it stands, as the rules about executing and retrying need it. */
export interface AllocationMoney {
  available: Pence;
}

/** @throws DomainError `insufficient-allocation` with `available` when the allocation holds less than `amount`. */
export function requireAvailable({ available }: AllocationMoney, amount: Pence): void {
  if (available >= amount) return;
  throw new DomainError(
    'insufficient-allocation',
    `The allocation holds ${available} pence; the payment needs ${amount}.`,
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
}): void {
  if (payment.status !== 'failed') {
    throw new DomainError(
      'payment-not-failed',
      `Only a failed payment can be retried; this one is ${payment.status}.`,
      {
        payment_status: payment.status,
      },
    );
  }
  if (payment.failure && !payment.failure.retryable) {
    throw new DomainError(
      'payment-not-retryable',
      `The bank's reason, ${payment.failure.code}, rules out another try.`,
      {
        failure_code: payment.failure.code,
      },
    );
  }
  if (payment.attempt >= MAX_ATTEMPTS) {
    throw new DomainError(
      'payment-attempts-exhausted',
      `The payment was tried ${MAX_ATTEMPTS} times; make a new one.`,
      {
        attempts: payment.attempt,
      },
    );
  }
}

/** @throws DomainError `payment-not-pending` unless the bank has accepted nothing yet. */
export function requirePending(status: PaymentStatus): void {
  if (status === 'pending') return;
  throw new DomainError('payment-not-pending', `Only a pending payment can be cancelled; this one is ${status}.`, {
    payment_status: status,
  });
}

/** @throws DomainError `payment-not-unknown` unless the outcome is unknown or the bank has blocked the payment. */
export function requireResolvable(payment: { status: PaymentStatus; bank_status: string | null }): void {
  if (attentionReasonOf(payment) !== 'bank-contradicts') return;
  const detail = 'Only a payment that the bank blocked, or whose outcome is unknown, can be resolved by hand.';
  throw new DomainError('payment-not-unknown', detail, { payment_status: payment.status });
}
