import { addDays, londonDateOf, type CalendarDate } from './dates.ts';
import type { Pence } from './money.ts';
import { dayOf, type PaymentPast, type Punctuality } from './reliability.ts';

/** The part of a payment that a credential counts. */
export interface CreditPayment extends PaymentPast {
  amount: Pence;
  /** Stands for the payee's account: the same for all payees with one account. */
  account: string;
  /** Whether the sandbox, an application or the operator vouches for the payee. */
  vouched: boolean;
}

/** A payment with a final outcome, and the day that assigns it to a period. */
export interface ConcludedPayment extends CreditPayment {
  day: CalendarDate;
  onTime: boolean;
}

/** The payments to one account in one calendar month. */
export interface Bill {
  account: string;
  /** `YYYY-MM` */
  month: string;
  /** The day of the last settlement. If nothing was settled, the last day that assigns a payment to the month. */
  on: CalendarDate;
  /** Whether all of its concluded payments were on time. */
  onTime: boolean;
}

/** Smaller sums do not count as a bill, in pence. */
const LEAST_SUM = 100;
/** A due date further ahead than this, when the payment is made, is ignored. */
const DUE_WITHIN_DAYS = 31;

/** The payment without its due date, if that is more than 31 days after the day on which the payment was made. */
export function withCredibleDueDate<Payment extends PaymentPast>(payment: Payment): Payment {
  const { due_date } = payment;
  const undated = { ...payment, due_date: null };
  return due_date !== null && due_date > addDays(dayOf(undated), DUE_WITHIN_DAYS) ? undated : payment;
}

/** A payment with an outcome, and its day. */
export function concludedPayment(payment: CreditPayment, end: Exclude<Punctuality, 'open'>): ConcludedPayment {
  return { ...payment, day: dayOf(payment), onTime: end === 'on-time' };
}

/** The bills of these payments, in no order. Sums below a pound make none. */
export function billsOf(payments: readonly ConcludedPayment[]): Bill[] {
  const together = Map.groupBy(payments, (payment) => `${billDayOf(payment).slice(0, 7)} ${payment.account}`);
  return [...together.values()]
    .filter((those) => those.reduce((sum, { amount }) => sum + amount, 0) >= LEAST_SUM)
    .map(billOf);
}

function billOf(payments: readonly ConcludedPayment[]): Bill {
  const settled = payments.filter(({ completed_at }) => completed_at !== null);
  const days = (settled.length > 0 ? settled : payments).map(billDayOf).sort();
  const on = days.at(-1)!;
  return {
    account: payments[0]!.account,
    month: on.slice(0, 7),
    on,
    onTime: payments.every(({ onTime }) => onTime),
  };
}

/**
 * The day of settlement. For a payment that never settled: its due date, else the day for which or on which it was
 * made.
 */
function billDayOf({ completed_at, day }: ConcludedPayment): CalendarDate {
  return completed_at === null ? day : londonDateOf(new Date(completed_at));
}
