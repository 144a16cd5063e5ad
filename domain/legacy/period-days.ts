import { addDays, addMonths, type CalendarDate, type Period } from '../dates.ts';
import { dateIn, DATE_TEXT, MONTH_NAME, monthsIn } from './printed-dates.ts';
import type { Reading } from './reading.ts';

const DATES = new RegExp(DATE_TEXT, 'gi');
const DAY_AND_MONTH = new RegExp(
  String.raw`^(?:from )?(\d{1,2}(?:st|nd|rd|th)?\s+${MONTH_NAME}|\d{1,2}[\/.]\d{1,2})(?![\d\/.])`,
  'i',
);
const NUMBERED = /^(?:tax )?(month|mth|m|week|wk|w)\.?(?: no\.?)?[ :]*0?(\d{1,2})\b/i;

/** The days that a document covers, as it prints its period; else the day of payment. Null where it says neither. */
export function daysOfPeriod(reading: Pick<Reading, 'pay_period' | 'pay_date' | 'tax_year'>): Period | null {
  const printed = reading.pay_period?.value ?? '';
  const payDate = reading.pay_date?.value;
  return (
    printedDays(printed) ??
    printedMonth(printed) ??
    numbered(printed, reading.tax_year?.value) ??
    (payDate === undefined ? null : { from: payDate, to: payDate })
  );
}

function printedDays(printed: string): Period | null {
  const dates = [...printed.matchAll(DATES)].flatMap(([text]) => dateIn(text)?.date ?? []);
  const last = dates.at(-1);
  if (last === undefined) return null;
  const from = dates.length > 1 ? dates[0]! : (firstOfSpan(printed, last) ?? last);
  return from <= last ? { from, to: last } : null;
}

/** `1 May - 31 May 2025` leaves the year of its first day to the last. */
function firstOfSpan(printed: string, last: CalendarDate): CalendarDate | undefined {
  const text = DAY_AND_MONTH.exec(printed)?.[1];
  if (text === undefined) return undefined;
  const separator = /[\/.]/.exec(text)?.[0] ?? ' ';
  const year = Number(last.slice(0, 4));
  const inYear = (of: number) => dateIn(`${text}${separator}${of}`)?.date;
  const first = inYear(year);
  return first !== undefined && first > last ? inYear(year - 1) : first;
}

function printedMonth(printed: string): Period | null {
  const month = monthsIn(printed.replace(/^./, (letter) => letter.toUpperCase())).find((name) => name.length === 7);
  return month === undefined ? null : { from: `${month}-01`, to: addDays(addMonths(`${month}-01`, 1), -1) };
}

/** A tax month or week: they are counted from 6 April. */
function numbered(printed: string, taxYear: string | undefined): Period | null {
  const found = NUMBERED.exec(printed);
  if (found === null || taxYear === undefined) return null;
  const start = `${taxYear.slice(0, 4)}-04-06`;
  const before = Number(found[2]) - 1;
  const isMonth = /^m/i.test(found[1]!);
  if (before < 0 || before > (isMonth ? 11 : 52)) return null;
  if (isMonth) return { from: addMonths(start, before), to: addDays(addMonths(start, before + 1), -1) };
  return { from: addDays(start, 7 * before), to: addDays(start, 7 * before + 6) };
}
