import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { KNOWN_FOR_MS, readClock } from './db/statements/clock.ts';

/** Business time: pay, due and execution dates, accrual, timestamps of records. Security never uses it. */
export interface Clock {
  now(): Promise<Date>;
}

/** How long production goes by what it read of the database's clock; nobody moves that one. */
const REAL_KNOWN_FOR_MS = 10_000;

/**
 * The clock of an environment, which is the database's: ledger and audit log take no other time, whatever a machine's clock says. A
 * sandbox's can be moved.
 */
export function openClock({ environment }: Pick<Config, 'environment'>, db: ClockDatabase): Clock {
  return environment === 'sandbox'
    ? databaseClock(db, { moves: true, knownForMs: KNOWN_FOR_MS })
    : databaseClock(db, { moves: false, knownForMs: REAL_KNOWN_FOR_MS });
}

type ClockDatabase = Pick<Database, 'load'>;

/**
 * The database's clock and, where it `moves`, the offset that the database keeps, the same in every process. Both are read anew only
 * where they were read longer than `knownForMs` ago; in between, time that is measured goes on. Even so nobody sees the time before
 * a move once the move is committed: a move first keeps everybody from remembering what is read (`settled` is false), then waits for
 * longer than anybody goes by what was read before that, and only then commits (`business_clock_hold`).
 */
export function databaseClock(db: ClockDatabase, { moves, knownForMs }: { moves: boolean; knownForMs: number }): Clock {
  let known = { offsetMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  let realAheadMs = Number.NEGATIVE_INFINITY;
  return {
    async now() {
      const askedAtMs = performance.now();
      if (askedAtMs < known.untilMs) return at(realAheadMs + known.offsetMs);
      const { offset_ms, settled, real_ms } = (await db.load(readClock({})))!;
      realAheadMs = within(realAheadMs, real_ms - performance.now(), real_ms - askedAtMs);
      const offsetMs = moves ? offset_ms : 0;
      if (settled) {
        known = {
          offsetMs: Math.max(known.offsetMs, offsetMs),
          untilMs: Math.max(known.untilMs, askedAtMs + knownForMs),
        };
      }
      return at(realAheadMs + offsetMs);
    },
  };
}

/** The database read its clock between question and answer. What was known stays where it can be, so that time does not flicker. */
function within(known: number, least: number, most: number): number {
  return known > most ? least : Math.max(known, least);
}

function at(aheadMs: number): Date {
  return new Date(performance.now() + aheadMs);
}
