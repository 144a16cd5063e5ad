import { addDays, addMonths, monthStartOf, type CalendarDate } from '../dates.ts';

/** How many days after a bill's day a payday still pays it at once, for a wage that was read late. */
export const LATE_DAYS = 5;

/** The day of the bill in the month of `date`: a month that is too short counts with its last day. */
export function billDayIn(date: CalendarDate, payDay: number): CalendarDate {
  const start = monthStartOf(date);
  const day = addDays(start, payDay - 1);
  const last = addDays(addMonths(start, 1), -1);
  return day < last ? day : last;
}

/** The first day of the bill on `from` or later. @param payDay 1 to 31. */
export function nextBillDay(payDay: number, from: CalendarDate): CalendarDate {
  const day = billDayIn(from, payDay);
  return day >= from ? day : billDayIn(addMonths(monthStartOf(from), 1), payDay);
}

interface Arrival {
  receivedOn: CalendarDate;
  /** When the entry was last changed. */
  setOn: CalendarDate;
  today: CalendarDate;
}

/**
 * The day of the bill that a payday pays. It is in the past if the wage was read late: then the bill is paid at once.
 * A wage of long ago pays no bills of long ago, and an entry none of before it was set.
 */
export function billDayOf(payDay: number, { receivedOn, setOn, today }: Arrival): CalendarDate {
  const earliest = addDays(today, -LATE_DAYS);
  return nextBillDay(
    payDay,
    [receivedOn, setOn, earliest].reduce((a, b) => (a > b ? a : b)),
  );
}
