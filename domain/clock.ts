import { DAY_MS, londonDateOf, monthStarts, type CalendarDate } from './dates.ts';
import { DomainError, exactlyOne, invalidInput, requireNoFaults, type InputFault } from './errors.ts';

/** `advance` is an ISO 8601 duration. */
export type ClockMove = { advance: string } | { now: Date };

/** Ten years with leap days, and one more day for the change to summer time. */
const MAX_DAYS_AT_ONCE = 3_654;

const LAST_INSTANT_MS = Date.parse('2100-12-31T23:59:59.999Z');

export function moveFaults({ advance, now }: { advance?: unknown; now?: unknown }): InputFault[] {
  return exactlyOne({ advance, now });
}

export function clockMoveOf({ advance, now }: { advance?: string; now?: string }): ClockMove {
  requireNoFaults(moveFaults({ advance, now }));
  if (advance !== undefined) return { advance };
  const instant = new Date(now!);
  if (Number.isNaN(instant.getTime())) throw invalidInput('/now', 'must be a time that exists');
  return { now: instant };
}

export function requireMove(from: Date, to: Date): void {
  if (to <= from) {
    const now = from.toISOString();
    throw new DomainError('clock-not-forward', `The clock can only move forward. It now shows ${now}.`, { now });
  }
  const latest = new Date(Math.min(from.getTime() + MAX_DAYS_AT_ONCE * DAY_MS, LAST_INSTANT_MS)).toISOString();
  if (to > new Date(latest)) {
    throw new DomainError(
      'clock-too-far',
      `The clock can move at most ten years at a time, and never beyond the year 2100. The latest allowed time is ${latest}.`,
      { latest },
    );
  }
}

/** In London time: after `from`, and no later than `to`. */
export function firstsPassed(from: Date, to: Date): CalendarDate[] {
  return monthStarts(londonDateOf(from), londonDateOf(to));
}
