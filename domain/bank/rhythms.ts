import { addDays, addMonths, type CalendarDate } from '../dates.ts';

export interface Rhythm {
  /** The day on which the next credit is expected, or the one after so many steps. */
  next: (day: CalendarDate, steps?: number) => CalendarDate;
  /** How many days earlier or later a credit may arrive. */
  tolerance: number;
}

/** Weekly, fortnightly, four-weekly and monthly. Easter moves a payday by up to four days. */
const WEEKLY: Rhythm = { next: (day, steps = 1) => addDays(day, 7 * steps), tolerance: 2 };
const FORTNIGHTLY: Rhythm = { next: (day, steps = 1) => addDays(day, 14 * steps), tolerance: 2 };
const FOUR_WEEKLY: Rhythm = { next: (day, steps = 1) => addDays(day, 28 * steps), tolerance: 4 };
export const MONTHLY: Rhythm = { next: (day, steps = 1) => addMonths(day, steps), tolerance: 4 };
export const RHYTHMS = [WEEKLY, FORTNIGHTLY, FOUR_WEEKLY, MONTHLY];

/** The days of one counterparty's credits on which, with two earlier ones, they have a rhythm. */
export function rhythmicDays(given: Iterable<CalendarDate>): ReadonlySet<CalendarDate> {
  const days = [...new Set(given)].sort();
  return new Set(RHYTHMS.flatMap((rhythm) => followers(followers(days, days, rhythm), days, rhythm)));
}

/** The `days` that come one step of the rhythm after one of `before`. */
function followers(
  before: readonly CalendarDate[],
  days: readonly CalendarDate[],
  { next, tolerance }: Rhythm,
): CalendarDate[] {
  const expected = new Set<CalendarDate>();
  for (const day of before) {
    const middle = next(day);
    for (let off = -tolerance; off <= tolerance; off += 1) expected.add(addDays(middle, off));
  }
  return days.filter((day) => expected.has(day));
}
