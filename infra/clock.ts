import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { KNOWN_FOR_MS, readClock } from './db/statements/clock.ts';

/** Business time: pay, due and execution dates, accrual, timestamps of records. Security never uses it. */
export interface Clock {
  now(): Promise<Date>;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Promise.resolve(new Date()) };

/** The clock of an environment: a sandbox's can be moved, production's is the machine's own. */
export function openClock({ environment }: Pick<Config, 'environment'>, db: ClockDatabase): Clock {
  return environment === 'sandbox' ? movableClock(db) : systemClock;
}

type ClockDatabase = Pick<Database, 'lookUp'>;

/**
 * The machine's clock and the offset that the database keeps, the same in every process. The offset is read anew only where
 * it was read longer than 50 ms ago. Even so nobody sees the time before a move once the move is committed: a move first
 * keeps everybody from remembering what is read (`settled` is false), then waits for longer than anybody goes by what was
 * read before that, and only then commits (`business_clock_hold`).
 */
export function movableClock(db: ClockDatabase): Clock {
  let known = { offsetMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  return {
    async now() {
      const askedAtMs = performance.now();
      if (askedAtMs < known.untilMs) return ahead(known.offsetMs);
      const { offset_ms, settled } = (await db.lookUp(readClock, []))!;
      if (settled) {
        known = {
          offsetMs: Math.max(known.offsetMs, offset_ms),
          untilMs: Math.max(known.untilMs, askedAtMs + KNOWN_FOR_MS),
        };
      }
      return ahead(offset_ms);
    },
  };
}

function ahead(offsetMs: number): Date {
  return new Date(Date.now() + offsetMs);
}
