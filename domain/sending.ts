import type { CalendarDate } from './dates.ts';
import { isSettled, msUntilDue, SAFE_TO_REPEAT_MS, type PaymentStatus, type Submission } from './payments.ts';

interface Sending {
  status: PaymentStatus;
  attempt: number;
  execute_on: CalendarDate | null;
  submission: Submission;
  first_sent_at: string | null;
}

/** `realNow` is the machine's clock, because the bank's time limit is in real time. */
export function sendingOf(
  payment: Sending,
  { attempt, now, realNow }: { attempt: number; now: Date; realNow: Date },
): 'over' | 'taken' | 'early' | 'expired' | 'send' {
  if (payment.attempt !== attempt || isSettled(payment.status)) return 'over';
  if (payment.submission === 'accepted') return 'taken';
  if (payment.status === 'pending' && msUntilDue(payment.execute_on, now) > 0) return 'early';
  return payment.submission === 'in_doubt' && isForgotten(payment, realNow) ? 'expired' : 'send';
}

/** Whether the bank might no longer recognise a repeated instruction. */
export function isForgotten({ first_sent_at }: Pick<Sending, 'first_sent_at'>, realNow: Date): boolean {
  return first_sent_at !== null && realNow.getTime() - Date.parse(first_sent_at) > SAFE_TO_REPEAT_MS;
}
