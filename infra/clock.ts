import type { Config } from './config/index.ts';
import type { Queries } from './db/connection.ts';
import { KNOWN_FOR_MS, readClock } from './db/queries/clock.ts';

/** Business time, for pay dates, due dates, accrual and records. Unsuitable for security checks. */
export interface Clock {
  /** @param db the open transaction, if there is one, so that the reading needs no second connection. */
  now(db: Pick<Queries, 'one'>): Promise<Date>;
  /** The database's own time, for what others check by their clocks. */
  real(db: Pick<Queries, 'one'>): Promise<Date>;
}

/** Nobody moves the clock in production. */
const REAL_KNOWN_FOR_MS = 10_000;

/**
 * After a transaction moves the clock, no process returns an earlier time. The transaction prevents caching (`settled`
 * is false), waits until cached readings have expired, and then commits (`business_clock_hold`). The ledger and the
 * audit log reject times that differ from the database's time by more than a minute.
 */
export function openClock({ environment }: Pick<Config, 'environment'>): Clock {
  const moves = environment === 'sandbox';
  const knownForMs = moves ? KNOWN_FOR_MS : REAL_KNOWN_FOR_MS;
  let known = { offsetMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  let realAheadMs = Number.NEGATIVE_INFINITY;
  const clock: Clock = {
    async now(db) {
      const startedAtMs = performance.now();
      if (startedAtMs < known.untilMs) return at(realAheadMs + known.offsetMs);
      const { offset_ms, settled, real_ms } = await db.one(readClock({}));
      realAheadMs = within(realAheadMs, real_ms - performance.now(), real_ms - startedAtMs);
      const offsetMs = moves ? offset_ms : 0;
      if (settled) {
        known = {
          offsetMs: Math.max(known.offsetMs, offsetMs),
          untilMs: Math.max(known.untilMs, startedAtMs + knownForMs),
        };
      }
      return at(realAheadMs + offsetMs);
    },
    async real(db) {
      await clock.now(db);
      return at(realAheadMs);
    },
  };
  return clock;
}

/** Keeps the known offset if a new reading allows it, so that time does not jitter. */
function within(known: number, least: number, most: number): number {
  return known > most ? least : Math.max(known, least);
}

function at(aheadMs: number): Date {
  return new Date(performance.now() + aheadMs);
}
