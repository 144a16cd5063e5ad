import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { KNOWN_FOR_MS, readClock } from './db/statements/clock.ts';

/**
 * Business time is used for pay dates, due dates, accrual and the timestamps of records. Security checks never use
 * business time.
 */
export interface Clock {
  now(): Promise<Date>;
}

/** How long production caches the database's time. Nobody moves the clock in production. */
const REAL_KNOWN_FOR_MS = 10_000;

/**
 * Opens the business clock, which reads the database's time. The ledger and the audit log reject times that differ from
 * the database's time by more than a minute.
 */
export function openClock({ environment }: Pick<Config, 'environment'>, db: ClockDatabase): Clock {
  return environment === 'sandbox'
    ? databaseClock(db, { moves: true, knownForMs: KNOWN_FOR_MS })
    : databaseClock(db, { moves: false, knownForMs: REAL_KNOWN_FOR_MS });
}

type ClockDatabase = Pick<Database, 'load'>;

/**
 * Reads the database's clock and, if the clock `moves`, adds the offset stored in the database. Caches a reading for
 * `knownForMs`, and adds the time that has passed since the reading.
 * After a transaction moves the clock, no process returns an earlier time. The transaction first prevents caching (`settled`
 * is false). Then the transaction waits until all cached readings have expired, and commits (`business_clock_hold`).
 */
function databaseClock(db: ClockDatabase, { moves, knownForMs }: { moves: boolean; knownForMs: number }): Clock {
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
 * Keeps the known offset if it fits a new reading, so that time does not jitter. The database reads its clock at an
 * unknown moment between the query and the reply.
 */
function within(known: number, least: number, most: number): number {
  return known > most ? least : Math.max(known, least);
}

function at(aheadMs: number): Date {
  return new Date(performance.now() + aheadMs);
}
