/** `YYYY-MM-DD`. Business dates are London dates. */
export type CalendarDate = string;

/** Both dates are inclusive. */
export interface Period {
  from: CalendarDate;
  to: CalendarDate;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const londonDate = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/London',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

const londonClock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const longDateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** For example `21 November 2026`. */
export function longDate(date: CalendarDate): string {
  return longDateFormat.format(new Date(date));
}

export function londonDateOf(instant: Date): CalendarDate {
  // London is never behind UTC, and at most an hour ahead, so most instants need no slow conversion.
  const [year, hour] = [instant.getUTCFullYear(), instant.getUTCHours()];
  if (hour < 23 && year >= 1972 && year <= 9999) return instant.toISOString().slice(0, 10);
  return londonDate.format(instant);
}

/** In summer, a London day begins at 23:00 UTC on the previous day. */
export function startOfLondonDay(date: CalendarDate): Date {
  const utcMidnight = Date.parse(`${date}T00:00:00Z`);
  const offsetMs = londonOffsetMs(new Date(utcMidnight));
  return new Date(utcMidnight - offsetMs);
}

export function addDays(date: CalendarDate, days: number): CalendarDate {
  const instant = new Date(`${date}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + days);
  return instant.toISOString().slice(0, 10);
}

/** A month that is too short for the day gives its last day. Add all months in one call, or the day is lost. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const given = new Date(`${date}T00:00:00Z`);
  const month = given.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(given.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const moved = new Date(Date.UTC(given.getUTCFullYear(), month, Math.min(given.getUTCDate(), lastDay)));
  return moved.toISOString().slice(0, 10);
}

/** The most months that can be added to `from` without passing `to`. Returns 0 if `to` is earlier. */
export function wholeMonths(from: CalendarDate, to: CalendarDate): number {
  if (to < from) return 0;
  const [fromYear, fromMonth] = [Number(from.slice(0, 4)), Number(from.slice(5, 7))];
  const calendarMonths = (Number(to.slice(0, 4)) - fromYear) * 12 + Number(to.slice(5, 7)) - fromMonth;
  return addMonths(from, calendarMonths) <= to ? calendarMonths : calendarMonths - 1;
}

/** Negative if `to` is earlier than `from`. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

export function monthStartOf(date: CalendarDate): CalendarDate {
  return `${date.slice(0, 8)}01`;
}

/** The first days of months: after `after`, and up to and including `upTo`. */
export function monthStarts(after: CalendarDate, upTo: CalendarDate): CalendarDate[] {
  const starts: CalendarDate[] = [];
  for (let start = addMonths(monthStartOf(after), 1); start <= upTo; start = addMonths(start, 1)) starts.push(start);
  return starts;
}

/** False for a date that does not exist, such as `2026-02-29`. PostgreSQL has no year 0. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}

function londonOffsetMs(instant: Date): number {
  const part = Object.fromEntries(londonClock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const local = Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second);
  return local - Math.floor(instant.getTime() / 1000) * 1000;
}
