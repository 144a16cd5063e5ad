import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { RetentionActivities } from '../../activities/retention.ts';
import { PURGE } from '../../infra/temporal/schedules.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

const { workflowId, workflowExecutionTimeout } = PURGE.action;

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

async function run(activities: RetentionActivities) {
  const taskQueue = `upkeep-${(runs += 1)}`;
  const worker = await Worker.create({ connection: env.nativeConnection, taskQueue, workflowBundle, activities });
  return worker.runUntil(async () => {
    const options = {
      workflowId: `${workflowId}-${runs}`,
      workflowExecutionTimeout: workflowExecutionTimeout!,
      taskQueue,
    };
    const handle = await env.client.workflow.start('purgeExpired', { ...options, args: [] });
    const result = (await handle.result().catch((error: unknown) => ({ error }))) as unknown;
    await record(handle);
    return { result };
  });
}

const purged = async () => ({ purged: 2 });

test('a purge returns how much it deleted', async () => {
  const { result } = await run({
    purgeIdempotencyRecords: async () => ({ purged: 1_001 }),
    purgeExpiredAuth: purged,
  });
  expect(result).toEqual({ idempotency_records: 1_001, auth: 2 });
});

test('a failed part of the purge is retried, and the other part runs once', async () => {
  let [tries, others] = [0, 0];
  const { result } = await run({
    async purgeIdempotencyRecords() {
      if ((tries += 1) < 5) throw new Error('the database is away');
      return purged();
    },
    async purgeExpiredAuth() {
      others += 1;
      return purged();
    },
  });
  expect(result).toEqual({ idempotency_records: 2, auth: 2 });
  expect([tries, others]).toEqual([5, 1]);
});

test('a purge that never succeeds ends by its timeout, so that the schedule starts another', async () => {
  const { result } = await run({
    purgeIdempotencyRecords: () => Promise.reject(new Error('the table is gone')),
    purgeExpiredAuth: purged,
  });
  expect(result).toHaveProperty('error');
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(3);
});
