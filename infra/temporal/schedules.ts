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
 * Posts interest on the 1st of each month at 02:00 London time. If a run is missed, Temporal starts it up to 31 days
 * later. The run then also covers earlier missed months. Scheduled runs never overlap.
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

/** Purges expired rows every ten minutes. A missed or unfinished purge is left to the next run. */
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
 * Creates or updates the service's schedules, whenever a worker starts. A schedule that an operator paused stays
 * paused.
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
      // Another worker created the schedule at the same time.
      if (!(failure instanceof ScheduleAlreadyRunning)) throw failure;
    });
  }
}

/**
 * Starts the interest run up to `asOf`, or joins that run if it is already in progress. @returns the ids of the
 * workflow and its run.
 */
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
