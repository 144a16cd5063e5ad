import { query } from '../sql.ts';

/** For how long a process may go by an offset that it read, in milliseconds; whoever moves the clock waits longer. */
export const KNOWN_FOR_MS = 50;

const REAL_MS = 'extract(epoch from clock_timestamp())::double precision * 1000 as real_ms';

/**
 * The time of the database in milliseconds, and the offset; `settled` is false while somebody moves it, and in the transaction that does, which may be undone: then it may be
 * known for this moment only.
 */
export const readClock = query<{ offset_ms: number; settled: boolean; real_ms: number }>(
  'clock.read',
  `select offset_ms, settled, ${REAL_MS} from business_clock_read()`,
);

/**
 * Holds the clock until the transaction ends, waits until no process goes by what it read before, and gives the offset and the time
 * of the database then: seconds to wait.
 */
export const holdClock = query<{ offset_ms: number; real_ms: number }>(
  'clock.hold',
  `select offset_ms, ${REAL_MS} from business_clock_hold($1::double precision) as held (offset_ms)`,
);

/**
 * The instant that lies an ISO 8601 duration after another: years to days by London's calendar and clock time, hours to
 * seconds as they pass. Instant, duration.
 */
export const instantAfter = query<{ after: string }>(
  'clock.instantAfter',
  `select least(business_clock_after($1, $2::interval), '9999-01-01T00:00:00Z'::timestamptz) as after`,
);

export const setClock = query('clock.set', `update business_clock set offset_ms = $1 where clock_id = 'sandbox'`);
