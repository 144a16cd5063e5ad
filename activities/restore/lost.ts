import type { CalendarDate } from '../../domain/dates.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { lastBegun } from '../../infra/db/queries/restore-steps.ts';

/* What a database that was restored does not know: what happened after its backup. */

const NO_END: CalendarDate = '9999-12-31';

/** When the database last became older than it was. Null if no backup was ever restored. */
export async function lastRestore(db: Queries): Promise<Date | null> {
  const found = await db.maybe(lastBegun());
  return found?.begun_at == null ? null : new Date(found.begun_at);
}

/** The day up to which wages might have been split before a restore. */
export async function lastLostDay(db: Queries): Promise<CalendarDate | null> {
  const found = await db.maybe(lastBegun());
  if (found === undefined) return null;
  return found.lost_until ?? NO_END;
}
