import type { CalendarDate } from './dates.ts';
import { isSettled, msUntilDue, SAFE_TO_REPEAT_MS, type PaymentStatus, type Submission } from './payments.ts';

/** What is known of a payment and of the attempt that is named, as the rules about sending it need it. */
export interface Sending {
  status: PaymentStatus;
  attempt: number;
  execute_on: CalendarDate | null;
  submission: Submission;
  first_sent_at: string | null;
}

/**
 * Whether an attempt is to be handed to the bank now. `over`: there is nothing to send, or another attempt is the current one.
 * `taken`: the bank has it. `early`: its day has not come. `expired`: asking the bank again is no longer safe. `send`: it is.
 * `now` is business time, `realNow` the machine's, by which the bank forgets.
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

/** Whether an attempt was sent so long ago that the bank may no longer know a repetition of it. */
export function isForgotten({ first_sent_at }: Pick<Sending, 'first_sent_at'>, realNow: Date): boolean {
  return first_sent_at !== null && realNow.getTime() - Date.parse(first_sent_at) > SAFE_TO_REPEAT_MS;
}
