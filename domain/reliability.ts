import { addDays, londonDateOf, startOfLondonDay, type CalendarDate } from './dates.ts';
import type { PaymentStatus } from './payments.ts';

/** A payment as far as its punctuality goes; instants are ISO 8601, dates are London's. */
export interface PaymentPast {
  status: PaymentStatus;
  due_date: CalendarDate | null;
  execute_on: CalendarDate | null;
  initiated_at: string;
  /** When the bank settled it; null unless it is completed. */
  completed_at: string | null;
  /** Which attempt is the current one, and when it was asked for. */
  attempt: number;
  attempted_at: string;
}

/** How a payment ended: on time, missed, or not at all yet. */
export type Punctuality = 'on-time' | 'missed' | 'open';

/** Payments counted by how they ended; `concluded = onTime + missed`. */
export interface PunctualityCount {
  concluded: number;
  onTime: number;
  missed: number;
}

/**
 * The day by which a payment belongs to a period: its due date, else the day of its initiation. A payment that was set for a
 * later day is initiated on that day, as the Payment Services Regulations 2017 (regulation 81(5)) have it.
 */
export function dayOf({ due_date, execute_on, initiated_at }: PaymentPast): CalendarDate {
  return due_date ?? execute_on ?? londonDateOf(new Date(initiated_at));
}

/** The first instant that is too late: the end of the due date, or of the day after initiation where there is none. */
export function deadlineOf(payment: PaymentPast): Date {
  const lastDay = payment.due_date ?? addDays(dayOf(payment), 1);
  return startOfLondonDay(addDays(lastDay, 1));
}

/**
 * How a payment stands at an instant. Completed: on time before its deadline, else missed. Failed: missed once the deadline
 * is over, until then it may still be retried. On its way again by a retry after the deadline: missed. Payments that were
 * cancelled, or whose money came back, are neither paid nor missed.
 */
export function punctualityOf(payment: PaymentPast, now: Date): Punctuality {
  const deadline = deadlineOf(payment);
  const { status, completed_at, attempt, attempted_at } = payment;
  if (status === 'completed') return completed_at !== null && new Date(completed_at) < deadline ? 'on-time' : 'missed';
  if (status === 'failed') return now >= deadline ? 'missed' : 'open';
  const isOnItsWay = status === 'processing' || status === 'pending';
  return isOnItsWay && attempt > 1 && new Date(attempted_at) >= deadline ? 'missed' : 'open';
}

/** Counts those that are concluded at an instant. */
export function countPunctuality(payments: readonly PaymentPast[], now: Date): PunctualityCount {
  const ends = payments.map((payment) => punctualityOf(payment, now));
  const onTime = ends.filter((end) => end === 'on-time').length;
  const missed = ends.filter((end) => end === 'missed').length;
  return { concluded: onTime + missed, onTime, missed };
}
