import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  type Workflow,
} from '@temporalio/client';
import { accrualWorkflowId, TASK_QUEUES } from '../../workflows/ids.ts';
import type { purgeExpired } from '../../workflows/retention.ts';
import type { accrueMonthly } from '../../workflows/yield.ts';
import { attributesOf, startWorkflow } from './start.ts';

type Schedule<Starts extends Workflow = Workflow> = ScheduleOptions<ScheduleOptionsStartWorkflowAction<Starts>>;

/**
 * Interest on the 1st of each month at 02:00 in London, when the day before is surely over. A missed run takes place up to
 * 31 days later, and also posts what other missed runs would have. While one runs, the next one waits.
 */
export const MONTHLY_ACCRUAL: Schedule<typeof accrueMonthly> = {
  scheduleId: 'yield/monthly',
  spec: { calendars: [{ dayOfMonth: 1, hour: 2, minute: 0, comment: 'interest' }], timezone: 'Europe/London' },
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '31 days' },
  action: {
    type: 'startWorkflow',
    workflowType: 'accrueMonthly',
    workflowId: 'yield/monthly',
    taskQueue: TASK_QUEUES.batch,
    args: [{ as_of: null }],
    staticSummary: 'Post the interest of the month to all vaults',
    typedSearchAttributes: attributesOf('yield'),
  },
};

/**
 * Deletes what has expired, every ten minutes. A purge that was missed is left to the next one, and so is what a purge of
 * more than an hour has not deleted.
 */
export const PURGE: Schedule<typeof purgeExpired> = {
  scheduleId: 'retention/purge',
  spec: { intervals: [{ every: '10 minutes' }] },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  action: {
    type: 'startWorkflow',
    workflowType: 'purgeExpired',
    workflowId: 'retention/purge',
    workflowExecutionTimeout: '1 hour',
    taskQueue: TASK_QUEUES.upkeep,
    args: [],
    staticSummary: 'Delete what has expired',
    typedSearchAttributes: attributesOf('retention'),
  },
};

export const SCHEDULES: readonly Schedule[] = [MONTHLY_ACCRUAL, PURGE];

/**
 * Makes our schedules, or brings them up to date; whether an operator paused one stays as it is. Every worker does it when it
 * starts.
 */
export async function ensureSchedules(client: Client): Promise<void> {
  for (const schedule of SCHEDULES) await ensureSchedule(client, schedule);
}

async function ensureSchedule(client: Client, schedule: Schedule): Promise<void> {
  const { scheduleId, memo: _memo, ...wanted } = schedule;
  const update = () => client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state }));
  try {
    await update();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    await client.schedule.create(schedule).catch((failure: unknown) => {
      // Another worker made it meanwhile.
      if (!(failure instanceof ScheduleAlreadyRunning)) throw failure;
    });
  }
}

/** Starts a run up to a day, or joins the one that is under way for it. @returns its ids. */
export function startAccrualRun(client: Client, asOf: string): Promise<{ workflowId: string; runId: string }> {
  return startWorkflow(client, {
    type: 'accrueMonthly',
    workflowId: accrualWorkflowId(asOf),
    taskQueue: TASK_QUEUES.batch,
    args: [{ as_of: asOf }],
    summary: `Post interest up to ${asOf} to all vaults`,
    memo: { as_of: asOf },
    module: 'yield',
  });
}
