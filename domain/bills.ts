import { addDays, londonDateOf, type CalendarDate } from './dates.ts';
import type { Pence } from './money.ts';
import { dayOf, type PaymentPast, type Punctuality } from './reliability.ts';

/** A payment as far as a credential counts it. */
export interface CreditPayment extends PaymentPast {
  amount: Pence;
  /** What stands for the payee's account: the same for all payees with one account. */
  account: string;
  /** Whether the sandbox, an application or the operator vouches for the payee. */
  vouched: boolean;
}

/** A payment that is concluded, and the day by which it belongs to a period. */
export interface ConcludedPayment extends CreditPayment {
  day: CalendarDate;
  onTime: boolean;
}

/** What was paid to one account in one calendar month. */
export interface Bill {
  account: string;
  /** `YYYY-MM` */
  month: string;
  /** The day of the last settlement; where nothing was settled, the last day that puts a payment into the month. */
  on: CalendarDate;
  /** Whether all of its concluded payments were. */
  onTime: boolean;
}

/** A bill counts from this sum on, in pence. */
const LEAST_SUM = 100;
/** A due date that is further away than this, when the payment is made, is not taken for one. */
const DUE_WITHIN_DAYS = 31;

/** The payment without its due date, where that is more than 31 days after the day on which the payment was made. */
export function withCredibleDueDate<Payment extends PaymentPast>(payment: Payment): Payment {
  const { due_date } = payment;
  const undated = { ...payment, due_date: null };
  return due_date !== null && due_date > addDays(dayOf(undated), DUE_WITHIN_DAYS) ? undated : payment;
}

/** A payment that ended, with its day. */
export function concludedPayment(payment: CreditPayment, end: Exclude<Punctuality, 'open'>): ConcludedPayment {
  return { ...payment, day: dayOf(payment), onTime: end === 'on-time' };
}

/** The bills that these payments make, in no order. Sums below a pound make none. */
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

/** The day of settlement; of a payment that never settled, its due date, else the day for which or on which it was made. */
function billDayOf({ completed_at, day }: ConcludedPayment): CalendarDate {
  return completed_at === null ? day : londonDateOf(new Date(completed_at));
}
