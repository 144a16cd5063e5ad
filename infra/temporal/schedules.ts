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
import type { readBanks } from '../../workflows/bank-reading.ts';
import type { reconcile } from '../../workflows/reconciliation.ts';
import type { purgeExpired } from '../../workflows/retention.ts';
import type { verifyNightly } from '../../workflows/verify.ts';
import type { accrueMonthly } from '../../workflows/yield.ts';
import { attributesOf, startWorkflow } from './start.ts';

type Schedule<Starts extends Workflow = Workflow> = ScheduleOptions<ScheduleOptionsStartWorkflowAction<Starts>>;

/** Temporal starts a missed run up to 31 days later. The run also covers earlier missed months. */
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
    staticSummary: 'Post interest up to the end of last month',
    typedSearchAttributes: attributesOf('yield'),
  },
};

/** A missed or unfinished purge is left to the next run. */
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

/** A missed round is left to the next one. */
export const BANK_READING: Schedule<typeof readBanks> = {
  scheduleId: 'bank/reading',
  spec: { intervals: [{ every: '5 minutes' }] },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  action: {
    type: 'startWorkflow',
    workflowType: 'readBanks',
    workflowId: 'bank/reading',
    workflowExecutionTimeout: '1 hour',
    taskQueue: TASK_QUEUES.bank,
    args: [],
    staticSummary: 'Read the accounts and consents that are due',
    typedSearchAttributes: attributesOf('bank'),
  },
};

/** Temporal starts a missed run up to a day later. */
export const RECONCILIATION: Schedule<typeof reconcile> = {
  scheduleId: 'reconciliation/daily',
  spec: {
    calendars: [{ hour: 6, minute: 0, comment: 'payments in the books of the banks' }],
    timezone: 'Europe/London',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
  action: {
    type: 'startWorkflow',
    workflowType: 'reconcile',
    workflowId: 'reconciliation/daily',
    taskQueue: TASK_QUEUES.bank,
    args: [],
    staticSummary: 'Look for payments in the accounts that paid',
    typedSearchAttributes: attributesOf('reconciliation'),
  },
};

/** Temporal starts a missed run up to a day later. */
export const VERIFICATION: Schedule<typeof verifyNightly> = {
  scheduleId: 'verify/nightly',
  spec: {
    calendars: [{ hour: 3, minute: 0, comment: 'what somebody changed in the database' }],
    timezone: 'Europe/London',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
  action: {
    type: 'startWorkflow',
    workflowType: 'verifyNightly',
    workflowId: 'verify/nightly',
    workflowExecutionTimeout: '20 hours',
    taskQueue: TASK_QUEUES.upkeep,
    args: [],
    staticSummary: 'Look for what somebody changed in the database',
    typedSearchAttributes: attributesOf('verify'),
  },
};

export const SCHEDULES: readonly Schedule[] = [MONTHLY_ACCRUAL, PURGE, BANK_READING, RECONCILIATION, VERIFICATION];

/** A schedule that an operator paused stays paused. */
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

/** Joins a run up to `asOf` that is already in progress. */
export function startAccrualRun(client: Client, asOf: string) {
  return startWorkflow(client, {
    type: 'accrueMonthly',
    workflowId: accrualWorkflowId(asOf),
    taskQueue: TASK_QUEUES.batch,
    args: [{ as_of: asOf }],
    staticSummary: `Post interest for the days before ${asOf}`,
    memo: { as_of: asOf },
    typedSearchAttributes: attributesOf('yield'),
  });
}
