import type { CalendarDate } from './dates.ts';
import { isSettled, msUntilDue, SAFE_TO_REPEAT_MS, type PaymentStatus, type Submission } from './payments.ts';

/** The state of a payment and of the named attempt, as the rules about sending need it. */
export interface Sending {
  status: PaymentStatus;
  attempt: number;
  execute_on: CalendarDate | null;
  submission: Submission;
  first_sent_at: string | null;
}

/**
 * Whether to submit an attempt to the bank now. `now` is business time; `realNow` is the machine's, by which the bank
 * forgets.
 * - `over`: there is nothing to send, or another attempt is the current one.
 * - `taken`: the bank has it.
 * - `early`: its day has not come.
 * - `expired`: asking the bank again is no longer safe.
 * - `send`: submit it.
 */
export function sendingOf(
  payment: Sending,
  { attempt, now, realNow }: { attempt: number; now: Date; realNow: Date },
): 'over' | 'taken' | 'early' | 'expired' | 'send' {
  if (payment.attempt !== attempt || isSettled(payment.status)) return 'over';
  if (payment.submission === 'accepted') return 'taken';
  if (payment.status === 'pending' && msUntilDue(payment.execute_on, now) > 0) return 'early';
  return payment.submission === 'in_doubt' && isForgotten(payment, realNow) ? 'expired' : 'send';
}

/** Whether the first sending is so long ago that the bank may not recognise a repeat. */
export function isForgotten({ first_sent_at }: Pick<Sending, 'first_sent_at'>, realNow: Date): boolean {
  return first_sent_at !== null && realNow.getTime() - Date.parse(first_sent_at) > SAFE_TO_REPEAT_MS;
}
