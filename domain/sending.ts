import type { SubmitOutcome } from './bank/payments.ts';
import { isEnded, type ConnectionStatus } from './bank/connections.ts';
import type { CalendarDate } from './dates.ts';
import { NO_CONSENT, OTHER_ACCOUNT, OVER_LIMIT } from './payment-failures.ts';
import {
  failureOf,
  isSettled,
  msUntilDue,
  provesNothingMoved,
  SAFE_TO_REPEAT_MS,
  type PaymentFailure,
  type PaymentStatus,
  type Submission,
} from './payments.ts';

interface Sending {
  status: PaymentStatus;
  attempt: number;
  execute_on: CalendarDate | null;
  submission: Submission;
  first_sent_at: string | null;
  doubted_by: string | null;
}

interface Now {
  attempt: number;
  now: Date;
  /** The machine's clock, because the bank's time limit is in real time. */
  realNow: Date;
  /** Of the connection that pays. Null for the house account. */
  connection: ConnectionStatus | null;
}

/** A payment whose connection has ended does not wait for its day. One that is in doubt waits for an operator. */
export function sendingOf(
  payment: Sending,
  { attempt, now, realNow, connection }: Now,
): 'over' | 'taken' | 'early' | 'expired' | 'send' {
  if (payment.attempt !== attempt || isSettled(payment.status)) return 'over';
  if (payment.doubted_by !== null) return 'early';
  if (payment.submission === 'accepted') return 'taken';
  const isOff = connection !== null && isEnded(connection);
  if (payment.status === 'pending' && !isOff && msUntilDue(payment.execute_on, now) > 0) return 'early';
  return payment.submission === 'in_doubt' && isForgotten(payment, realNow) ? 'expired' : 'send';
}

/** Whether the bank might no longer recognise a repeated instruction. */
export function isForgotten({ first_sent_at }: Pick<Sending, 'first_sent_at'>, realNow: Date): boolean {
  return first_sent_at !== null && realNow.getTime() - Date.parse(first_sent_at) > SAFE_TO_REPEAT_MS;
}

/**
 * `payee-changed`: nothing was sent, because the payee has another account here than in the consent, or something other than
 * the service changed its row.
 */
export type NotTaken = Exclude<SubmitOutcome, { kind: 'accepted' }> | { kind: 'payee-changed' };

/** What the bank says of the consent when asked after `no-consent`. */
export type ConsentNow = 'authorised' | 'over' | 'away';

/**
 * - `failed`: this call moved no money. With `always`, no earlier call of the attempt did, either.
 * - `again`: this call moved no money. Try again, and not before `until`.
 * - `unknown`: this call may have moved money.
 */
export type Meaning =
  | { kind: 'failed'; failure: PaymentFailure; always: boolean }
  | { kind: 'again'; until: Date | null }
  | { kind: 'unknown' };

/** How often an attempt is sent that the bank refuses for want of a consent, although it says that the consent is good. */
const MOST_SENDS_WITHOUT_CONSENT = 5;

/** `sends` counts how often the attempt was sent, including this time. */
export function meaningOf(outcome: NotTaken, { consent, sends }: { consent: ConsentNow; sends: number }): Meaning {
  const failed = (failure: PaymentFailure, always = false): Meaning => ({ kind: 'failed', failure, always });
  switch (outcome.kind) {
    case 'refused':
      return failed(failureOf(outcome.reason), provesNothingMoved(outcome.reason));
    case 'over-limit':
      return failed(OVER_LIMIT);
    case 'payee-changed':
      return failed(OTHER_ACCOUNT);
    case 'no-consent':
      if (consent === 'over' || (consent === 'authorised' && sends >= MOST_SENDS_WITHOUT_CONSENT))
        return failed(NO_CONSENT);
      return { kind: 'again', until: null };
    case 'not-accepted':
      return { kind: 'again', until: outcome.until };
    case 'unknown':
      return { kind: 'unknown' };
  }
}
