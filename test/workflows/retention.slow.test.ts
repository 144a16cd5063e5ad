import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { RetentionActivities } from '../../activities/retention.ts';
import { PURGE } from '../../infra/temporal/schedules.ts';
import { keepHistory, type History } from '../helpers/histories.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

const HISTORIES = fileURLToPath(new URL('./histories/retention/', import.meta.url));
const { workflowId, workflowExecutionTimeout } = PURGE.action;

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;

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
    return { result, history: await handle.fetchHistory() };
  });
}

const keep = (name: string, history: History) => keepHistory(HISTORIES, name, history);
const purged = async () => ({ purged: 2 });

test('a purge returns how much it deleted', async () => {
  const { result, history } = await run({
    purgeIdempotencyRecords: async () => ({ purged: 1_001 }),
    purgeExpiredAuth: purged,
  });
  await keep('purges', history);
  expect(result).toEqual({ idempotency_records: 1_001, auth: 2 });
});

test('a failed part of the purge is retried, and the other part runs once', async () => {
  let [tries, others] = [0, 0];
  const { result, history } = await run({
    async purgeIdempotencyRecords() {
      if ((tries += 1) < 5) throw new Error('the database is away');
      return purged();
    },
    async purgeExpiredAuth() {
      others += 1;
      return purged();
    },
  });
  await keep('tried-again', history);
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

test('every saved history replays on the workflow as it is now', async () => {
  const files = (await readdir(HISTORIES)).filter((file) => file.endsWith('.json'));
  expect(files.length).toBeGreaterThanOrEqual(2);
  for (const file of files) {
    const history: unknown = JSON.parse(await readFile(`${HISTORIES}${file}`, 'utf8'));
    await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
  }
});
