import { addDays, londonDateOf, type CalendarDate } from './dates.ts';
import type { Pence } from './money.ts';
import { dayOf, punctualityOf, type PaymentPast } from './reliability.ts';

export interface CreditPayment extends PaymentPast {
  amount: Pence;
  /** Payees with the same bank account share this id. */
  account: string;
  /** Whether the sandbox, an application or the operator vouches for the payee. */
  vouched: boolean;
}

export interface ConcludedPayment extends CreditPayment {
  day: CalendarDate;
  onTime: boolean;
}

export interface Bill {
  account: string;
  month: string;
  /** The day of the last settlement, or the latest `day` if no payment settled. */
  on: CalendarDate;
  onTime: boolean;
}

const LEAST_SUM = 100;
/** A due date is ignored if it is more than this many days after the payment was made. */
const DUE_WITHIN_DAYS = 31;

/** Payments with a final outcome at `now`. */
export function concludedPayments(past: readonly CreditPayment[], now: Date): ConcludedPayment[] {
  return past.map(withCredibleDueDate).flatMap((payment) => {
    const end = punctualityOf(payment, now);
    return end === 'open' ? [] : [{ ...payment, day: dayOf(payment), onTime: end === 'on-time' }];
  });
}

function withCredibleDueDate(payment: CreditPayment): CreditPayment {
  const { due_date } = payment;
  const undated = { ...payment, due_date: null };
  return due_date !== null && due_date > addDays(dayOf(undated), DUE_WITHIN_DAYS) ? undated : payment;
}

/** Leaves out bills of less than one pound. */
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

function billDayOf({ completed_at, day }: ConcludedPayment): CalendarDate {
  return completed_at === null ? day : londonDateOf(new Date(completed_at));
}
