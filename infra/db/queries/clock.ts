import { sql } from 'kysely';
import { batchQuery, query, type Numbered } from '../query.ts';
import { tables } from '../tables.ts';

/** How long a process may cache the offset. A move of the clock waits longer. */
export const KNOWN_FOR_MS = 50;

/** `real_ms` is milliseconds since 1970. `offset_ms` is how far business time is ahead. */
interface ClockReading extends Numbered {
  offset_ms: number;
  /** False while the clock moves: do not cache the offset, because the move might roll back. */
  settled: boolean;
  real_ms: number;
}

const realMs = sql`extract(epoch from clock_timestamp())::double precision * 1000`;

export const readClock = batchQuery(
  'clock.read',
  (requested: readonly object[]) => sql<ClockReading>`
    select ordinal, offset_ms, settled, ${realMs} as real_ms
      from business_clock_read(), generate_series(1, ${requested.length}::int) as ordinal`,
);

/** Waits `waitS` seconds under the lock, until cached offsets have expired. */
export const holdClock = query(
  'clock.hold',
  (waitS: number) => sql<{ offset_ms: number; real_ms: number }>`
    select offset_ms, ${realMs} as real_ms from business_clock_hold(${waitS}::double precision) as held (offset_ms)`,
);

/** Adds an ISO 8601 duration. Years to days follow London's calendar. Hours to seconds are elapsed time. */
export const instantAfter = query(
  'clock.instantAfter',
  (instant: Date, duration: string) => sql<{ after: string }>`
    select least(business_clock_after(${instant}, ${duration}::interval), '9999-01-01T00:00:00Z'::timestamptz) as after`,
);

export const setClock = query('clock.set', (offset_ms: number) =>
  tables.updateTable('business_clock').set({ offset_ms }).where('clock_id', '=', 'sandbox'),
);
