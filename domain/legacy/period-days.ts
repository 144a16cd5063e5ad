import { addDays, addMonths, type CalendarDate, type Period } from '../dates.ts';
import { dateIn, DATE_TEXT, MONTH_NAME, monthsIn } from './printed-dates.ts';
import type { Reading } from './reading.ts';

const DATES = new RegExp(DATE_TEXT, 'gi');
/** Such as `1 May` in `1 May - 31 May 2025`. The year comes from the last day. */
const DAY_WITHOUT_YEAR = new RegExp(
  String.raw`^(?:from )?(\d{1,2}(?:st|nd|rd|th)?\s+${MONTH_NAME}|\d{1,2}[\/.]\d{1,2})\s*(?:-|–|—|to\b)\s*(?=\d)`,
  'i',
);
const NUMBERED = /^(?:tax )?(month|mth|m|week|wk|w)\.?(?: no\.?)?[ :]*0?(\d{1,2})\b/i;

/** Returns the pay date if the printed period gives no days. */
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
  const shortened = DAY_WITHOUT_YEAR.exec(printed);
  const text = shortened === null ? printed : printed.slice(shortened[0].length);
  const dates = [...text.matchAll(DATES)].flatMap(([date]) => dateIn(date)?.date ?? []);
  const to = dates.at(-1);
  if (to === undefined) return null;
  const from = shortened === null ? dates[0] : lastBefore(shortened[1]!, to);
  return from !== undefined && from <= to ? { from, to } : null;
}

/** May be `date` itself. */
function lastBefore(dayAndMonth: string, date: CalendarDate): CalendarDate | undefined {
  const separator = /[\/.]/.exec(dayAndMonth)?.[0] ?? ' ';
  const inYear = (year: number) => dateIn(`${dayAndMonth}${separator}${year}`)?.date;
  const year = Number(date.slice(0, 4));
  const first = inYear(year);
  return first !== undefined && first > date ? inYear(year - 1) : first;
}

function printedMonth(printed: string): Period | null {
  const month = monthsIn(printed.replace(/^./, (letter) => letter.toUpperCase())).find((name) => name.length === 7);
  return month === undefined ? null : { from: `${month}-01`, to: addDays(addMonths(`${month}-01`, 1), -1) };
}

/** Counted from 6 April. */
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
