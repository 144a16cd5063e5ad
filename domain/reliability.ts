import { addDays, londonDateOf, startOfLondonDay, type CalendarDate } from './dates.ts';
import type { PaymentStatus } from './payments.ts';

/** Instants are ISO 8601. Dates are London dates. */
export interface PaymentPast {
  status: PaymentStatus;
  due_date: CalendarDate | null;
  execute_on: CalendarDate | null;
  initiated_at: string;
  completed_at: string | null;
  attempt: number;
  attempted_at: string;
}

/** `open` means neither, for example because the payment has no outcome yet. */
export type Punctuality = 'on-time' | 'missed' | 'open';

/** `concluded = onTime + missed`. */
export interface PunctualityCount {
  concluded: number;
  onTime: number;
  missed: number;
}

/** A scheduled payment counts as initiated on its execution day (Payment Services Regulations 2017, 81(5)). */
export function dayOf({ due_date, execute_on, initiated_at }: PaymentPast): CalendarDate {
  return due_date ?? execute_on ?? londonDateOf(new Date(initiated_at));
}

/** The first instant that is too late. */
export function deadlineOf(payment: PaymentPast): Date {
  const lastDay = payment.due_date ?? addDays(dayOf(payment), 1);
  return startOfLondonDay(addDays(lastDay, 1));
}

/** A failed payment is open until the deadline, because a retry can still be on time. */
export function punctualityOf(payment: PaymentPast, now: Date): Punctuality {
  const deadline = deadlineOf(payment);
  const { status, completed_at, attempt, attempted_at } = payment;
  if (status === 'completed') return completed_at !== null && new Date(completed_at) < deadline ? 'on-time' : 'missed';
  if (status === 'failed') return now >= deadline ? 'missed' : 'open';
  const isOnItsWay = status === 'processing' || status === 'pending';
  return isOnItsWay && attempt > 1 && new Date(attempted_at) >= deadline ? 'missed' : 'open';
}

export function countPunctuality({ payments, now }: { payments: readonly PaymentPast[]; now: Date }): PunctualityCount {
  const ends = payments.map((payment) => punctualityOf(payment, now));
  const onTime = ends.filter((end) => end === 'on-time').length;
  const missed = ends.filter((end) => end === 'missed').length;
  return { concluded: onTime + missed, onTime, missed };
}
