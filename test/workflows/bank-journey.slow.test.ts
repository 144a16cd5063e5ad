import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { BankError } from '../../infra/bank/interface.ts';
import { jobOf, signalOrStart, startWorkflow } from '../../infra/temporal/start.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
withTimeSkipping((parts) => ({ env, workflowBundle } = parts));

test.each([
  ['at once when it has an outcome', 'signal', 0],
  ['when its time is over', 'time', 1_000_000],
  ['even if its workflow was lost', 'start', 0],
] as const)('a journey is settled %s, however often the bank is away first', async (_when, how, leastMs) => {
  let tries = 0;
  let isOver = how === 'start';
  const began = await env.currentTimeMs();
  const journey_id = `jrn_${how}`;
  const job = { ...jobOf('bankJourney', { journey_id }), taskQueue: journey_id };
  const activities = {
    msUntilJourneyOver: async () => (isOver || (await env.currentTimeMs()) - began >= 1_000_000 ? 0 : 1_000_000),
    settleJourney: async (given: unknown) => {
      expect(given).toEqual({ journey_id });
      if ((tries += 1) < 4) throw new BankError('away', 'No answer.');
    },
  };
  const { nativeConnection: connection, client } = env;
  const worker = await Worker.create({ connection, taskQueue: journey_id, workflowBundle, activities });
  await worker.runUntil(async () => {
    if (how !== 'start') await startWorkflow(client, job);
    isOver ||= how === 'signal';
    if (how !== 'time') await signalOrStart(client, job, 'journeyOver');
    await client.workflow.getHandle(job.workflowId).result();
  });
  expect(tries).toBe(4);
  expect((await env.currentTimeMs()) - began).toBeGreaterThanOrEqual(leastMs);
});
