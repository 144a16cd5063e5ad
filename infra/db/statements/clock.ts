import { sql } from 'kysely';
import { batchQuery, query, type Placed } from '../query.ts';
import { tables } from '../tables.ts';

/** For how long a process may go by an offset that it read, in milliseconds; whoever moves the clock waits longer. */
export const KNOWN_FOR_MS = 50;

/** What the database's clock says: the time in milliseconds since 1970, and how far business time is ahead of it. */
interface ClockReading extends Placed {
  offset_ms: number;
  /** False while somebody moves the clock, and in the transaction that does, which may be undone: then it is known for this moment only. */
  settled: boolean;
  real_ms: number;
}

const realMs = sql`extract(epoch from clock_timestamp())::double precision * 1000`;

export const readClock = batchQuery(
  'clock.read',
  (asked: readonly object[]) => sql<ClockReading>`
    select place, offset_ms, settled, ${realMs} as real_ms
      from business_clock_read(), generate_series(1, ${asked.length}::int) as place`,
);

/** Holds the clock until the transaction ends, and waits so many seconds, until no process goes by what it read before. */
export const holdClock = query(
  'clock.hold',
  (waitS: number) => sql<{ offset_ms: number; real_ms: number }>`
    select offset_ms, ${realMs} as real_ms from business_clock_hold(${waitS}::double precision) as held (offset_ms)`,
);

/**
 * The instant that lies an ISO 8601 duration after another: years to days by London's calendar and clock time, hours to
 * seconds as they pass.
 */
export const instantAfter = query(
  'clock.instantAfter',
  (instant: Date, duration: string) => sql<{ after: string }>`
    select least(business_clock_after(${instant}, ${duration}::interval), '9999-01-01T00:00:00Z'::timestamptz) as after`,
);

export const setClock = query('clock.set', (offset_ms: number) =>
  tables.updateTable('business_clock').set({ offset_ms }).where('clock_id', '=', 'sandbox'),
);
