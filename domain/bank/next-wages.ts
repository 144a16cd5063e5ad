import { addDays, daysBetween, monthStartOf, type CalendarDate, type Period } from '../dates.ts';
import { billDayIn } from '../payday/days.ts';
import { MONTHLY, RHYTHMS, type Rhythm } from './rhythms.ts';

/** So many credits in a row make a rhythm. */
const ENOUGH = 3;
/** Of a payer's days, at most so many of the newest count: weekly ones of over a year. */
const MOST_DAYS = 60;
/** A payer who has paid nothing for so long is expected to pay nothing. */
const SILENT_DAYS = 92;

interface Payer {
  /** The days of credits that look like the payer's wages. */
  wages: readonly CalendarDate[];
  /** The days of all credits from the payer. */
  credits: readonly CalendarDate[];
}

/** A day as the last of several that follow a rhythm. */
interface Link {
  day: CalendarDate;
  previous: Link | null;
  count: number;
  /** By how many days all of them together were early or late. */
  off: number;
}

interface Pace {
  rhythm: Rhythm;
  last: Link;
}

/**
 * The days of the period on which the payer's next wages are expected. The period starts today. A wage that is late, but not
 * too late, is expected today.
 */
export function nextWageDays({ wages, credits }: Payer, { from, to }: Period): CalendarDate[] {
  const days = [...new Set(wages)].sort().slice(-MOST_DAYS);
  const pace = paceOf(days);
  if (pace === null || daysBetween(pace.last.day, from) > SILENT_DAYS) return [];
  const { rhythm, last } = pace;
  const arrived = credits.filter((day) => day > last.day);
  const hasArrived = (due: CalendarDate) => arrived.some((day) => Math.abs(daysBetween(day, due)) <= rhythm.tolerance);
  const expected: CalendarDate[] = [];
  for (let steps = 1; ; steps += 1) {
    const due = dueDay(pace, steps);
    if (due > to) return expected;
    if (addDays(due, rhythm.tolerance) < from || hasArrived(due)) continue;
    expected.push(due < from ? from : due);
  }
}

/** The shortest rhythm that the credits still keep, as weekly ones are fortnightly too. */
function paceOf(days: readonly CalendarDate[]): Pace | null {
  const paces = RHYTHMS.flatMap((rhythm): Pace[] => {
    const last = linksOf(days, rhythm).findLast(({ count }) => count >= ENOUGH);
    const isKept = last !== undefined && days.at(-1)! <= addDays(rhythm.next(last.day, 2), rhythm.tolerance);
    return isKept ? [{ rhythm, last }] : [];
  });
  return paces.reduce<Pace | null>((best, pace) => (best === null || isBetter(pace, best) ? pace : best), null);
}

/** Four-weekly credits can look monthly, and the other way round. The rhythm that they keep to the day is theirs. */
function isBetter({ rhythm, last }: Pace, best: Pace): boolean {
  const isAlike = daysBetween(best.rhythm.next(last.day), rhythm.next(last.day)) <= rhythm.tolerance;
  if (!isAlike || last.day !== best.last.day) return isAlike && last.day > best.last.day;
  return last.off / last.count <= best.last.off / best.last.count;
}

function linksOf(days: readonly CalendarDate[], rhythm: Rhythm): Link[] {
  const byNext = new Map<CalendarDate, Link>();
  return days.map((day) => {
    const link = linkTo(byNext, day, rhythm.tolerance);
    byNext.set(rhythm.next(day), link);
    return link;
  });
}

function linkTo(byNext: ReadonlyMap<CalendarDate, Link>, day: CalendarDate, tolerance: number): Link {
  for (let off = 0; off <= tolerance; off += 1) {
    const previous = byNext.get(addDays(day, -off)) ?? byNext.get(addDays(day, off));
    if (previous !== undefined) return { day, previous, count: previous.count + 1, off: previous.off + off };
  }
  return { day, previous: null, count: 1, off: 0 };
}

/** Who is paid on the 31st is paid on the last day of February, and in March on the 31st again. */
function dueDay({ rhythm, last }: Pace, steps: number): CalendarDate {
  const due = rhythm.next(last.day, steps);
  const isLastOfMonth = addDays(last.day, 1) === monthStartOf(addDays(last.day, 1));
  if (rhythm !== MONTHLY || !isLastOfMonth) return due;
  let payDay = 0;
  for (let link: Link | null = last; link !== null; link = link.previous) {
    payDay = Math.max(payDay, Number(link.day.slice(8)));
  }
  return billDayIn(due, payDay);
}
