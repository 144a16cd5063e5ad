import { isCalendarDate, londonDateOf, monthStartOf, type CalendarDate } from '../../domain/dates.ts';
import { openClock } from '../../infra/clock.ts';
import type { Services } from '../../infra/services.ts';
import { startAccrualRun } from '../../infra/temporal/schedules.ts';
import { OperatorError, UsageError } from './errors.ts';
import { startByHand } from './temporal.ts';

/** Posts the interest for the days before `asOf`. The default is the first of this month in business time. */
export async function accrueByHand(
  { db, config }: Pick<Services, 'db' | 'config'>,
  asOf: CalendarDate | undefined,
): Promise<object> {
  if (asOf !== undefined && !isCalendarDate(asOf))
    throw new UsageError(`--as-of is "${asOf}", but must be a date in the form YYYY-MM-DD.`);
  const clock = openClock(config);
  const today = londonDateOf(await clock.now(db));
  const as_of = asOf ?? monthStartOf(today);
  if (as_of > today)
    throw new OperatorError(
      `--as-of is ${as_of}, but today is ${today}. Interest is posted only for days that are over.`,
    );
  const started = await startByHand(config, 'the run', (client) => startAccrualRun(client, as_of));
  return { ...started, as_of };
}
