import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { KNOWN_FOR_MS, readClock } from './db/statements/clock.ts';

/** Business time: pay, due and execution dates, accrual, timestamps of records. Security never uses it. */
export interface Clock {
  now(): Promise<Date>;
}

/** How long production caches the database's time; nobody moves that clock. */
const REAL_KNOWN_FOR_MS = 10_000;

/**
 * The clock of an environment, which is the database's: ledger and audit log accept no other time, whatever a machine's
 * clock says. A sandbox's can be moved.
 */
export function openClock({ environment }: Pick<Config, 'environment'>, db: ClockDatabase): Clock {
  return environment === 'sandbox'
    ? databaseClock(db, { moves: true, knownForMs: KNOWN_FOR_MS })
    : databaseClock(db, { moves: false, knownForMs: REAL_KNOWN_FOR_MS });
}

type ClockDatabase = Pick<Database, 'load'>;

/**
 * The database's clock and, if it `moves`, the offset in the database, which is the same for every process. A reading
 * is cached for `knownForMs`; in between, measured time is added. Even so, once a move commits, nobody sees the time
 * before it. A move first prevents caching (`settled` is false). It then waits until every earlier cached reading has
 * expired, and only then commits (`business_clock_hold`).
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

/**
 * The database read its clock between question and answer. Keeps the known offset if this reading agrees with it, so
 * that time does not flicker.
 */
function within(known: number, least: number, most: number): number {
  return known > most ? least : Math.max(known, least);
}

function at(aheadMs: number): Date {
  return new Date(performance.now() + aheadMs);
}
