import { isCalendarDate, type CalendarDate } from '../dates.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
export const MONTH_NAME =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const SEPARATOR = String.raw`\s*[\/.\-–]\s*|\s+`;
export const DATE_TEXT = String.raw`(?:\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)?(?:${SEPARATOR})?(?:of )?${MONTH_NAME}\.?,?(?:${SEPARATOR})?(?:\d{4}|\d{2})|${MONTH_NAME}\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}|\d{1,2}\s?[\/.\-]\s?\d{1,2}\s?[\/.\-]\s?(?:\d{4}|\d{2})|\d{2} \d{2} \d{4})`;
const FINDING = new RegExp(String.raw`(?<![\d\/])${DATE_TEXT}(?![\d\/])`, 'i');

/** The first date, and its text as printed. Years of two digits mean 20xx. */
export function dateIn(text: string): { date: CalendarDate; text: string } | null {
  const found = FINDING.exec(text);
  if (found === null) return null;
  const date = dateOf(found[0]);
  return date === null ? null : { date, text: found[0].trim() };
}

/** Like `dateIn`, but also accepts eight digits in boxes: `22 01 2025`, `2201 2025`. */
export function dayIn(text: string): { date: CalendarDate; text: string } | null {
  const boxed = /^(\d{2}) ?(\d{2}) ?(\d{4})$/.exec(text.trim());
  return dateIn(boxed === null ? text : boxed.slice(1).join(' '));
}

function dateOf(text: string): CalendarDate | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (iso !== null) return valid(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const name = new RegExp(MONTH_NAME, 'i').exec(text);
  const numbers = (text.replace(/(\d)(st|nd|rd|th)/gi, '$1').match(/\d+/g) ?? []).map(Number);
  if (name !== null) {
    const month = MONTHS.indexOf(name[0].slice(0, 3).toLowerCase()) + 1;
    return numbers.length === 2 ? valid(numbers[1]!, month, numbers[0]!) : null;
  }
  return numbers.length === 3 ? valid(numbers[2]!, numbers[1]!, numbers[0]!) : null;
}

function valid(year: number, month: number, day: number): CalendarDate | null {
  const full = year < 100 ? 2000 + year : year;
  const date = `${full}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return full >= 1990 && full <= 2099 && isCalendarDate(date) ? date : null;
}

/** From 6 April to 5 April, as `2025-26`. */
export function taxYearOf(date: CalendarDate): string {
  const year = Number(date.slice(0, 4));
  return taxYearFrom(date.slice(5) >= '04-06' ? year : year - 1);
}

const taxYearFrom = (year: number): string => `${year}-${String((year + 1) % 100).padStart(2, '0')}`;

/** Finds `2025/26`, `2025-2026`, `2025 to 2026` or `year to 5 April 2026`. */
export function taxYearIn(text: string): string | null {
  const ending = new RegExp(String.raw`(?:to|ending|ended)?\s*5(?:th)?\s*apr(?:i[l1|])?\s*(\d{4})`, 'i').exec(text);
  if (ending !== null) return taxYearFrom(Number(ending[1]) - 1);
  const spanned = /\b(20\d{2})\s*(?:[\/\-–]|\bto\b)\s*(20)?(\d{2})\b/.exec(text);
  if (spanned === null) return null;
  const from = Number(spanned[1]);
  return (from + 1) % 100 === Number(spanned[3]) ? taxYearFrom(from) : null;
}

const MONTH_PRINTED = new RegExp(String.raw`\b(${MONTH_NAME})\b[\s\-\/,.]*(20\d{2}|['’]?\d{2}\b)?`, 'gi');

/** Months that begin with a capital letter: `08`, and also `2026-08` if the year is printed. */
export function monthsIn(text: string): string[] {
  return [...text.matchAll(MONTH_PRINTED)].flatMap(([, name, year]) => {
    if (!/^[A-Z]/.test(name!)) return [];
    const month = String(MONTHS.indexOf(name!.slice(0, 3).toLowerCase()) + 1).padStart(2, '0');
    return year === undefined ? [month] : [`20${year.slice(-2)}-${month}`, month];
  });
}
