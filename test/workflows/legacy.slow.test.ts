import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { DocumentWorkflowActivities, ReadingResult } from '../../activities/legacy/index.ts';
import { documentWorkflowId } from '../../workflows/ids.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

function play(parts: Partial<DocumentWorkflowActivities>) {
  const taskQueue = `documents-${(runs += 1)}`;
  const calls: string[] = [];
  const noted = Object.entries(parts).map(([name, activity]) => [
    name,
    (args: { doc_id: string }) => {
      calls.push(name);
      return activity(args);
    },
  ]);
  const args = { doc_id: `doc_${runs}` };
  return {
    calls,
    async run() {
      const worker = await Worker.create({
        connection: env.nativeConnection,
        taskQueue,
        workflowBundle,
        activities: Object.fromEntries(noted) as Record<string, () => unknown>,
      });
      return worker.runUntil(async () => {
        const workflowId = documentWorkflowId(args.doc_id);
        const handle = await env.client.workflow.start('readPayslip', { workflowId, taskQueue, args: [args] });
        const result = (await handle.result()) as ReadingResult;
        await record(handle);
        return { result };
      });
    },
  };
}

test('a document that is read takes one activity', async () => {
  const { run, calls } = play({ readDocument: async () => ({ status: 'parsed' }) });
  const { result } = await run();
  expect([result, calls]).toEqual([{ status: 'parsed' }, ['readDocument']]);
});

test('a document that cannot be read ends as failed, with the code', async () => {
  const { run } = play({ readDocument: async () => ({ status: 'failed', failure_code: 'encrypted-pdf' }) });
  const { result } = await run();
  expect(result).toEqual({ status: 'failed', failure_code: 'encrypted-pdf' });
});

test('a document that is erased meanwhile ends without an error', async () => {
  const { run } = play({ readDocument: async () => ({ status: 'erased' }) });
  const { result } = await run();
  expect(result).toEqual({ status: 'erased' });
});

test('unavailable readers and keys are retried', async () => {
  let tries = 0;
  const { run } = play({
    readDocument: async () => {
      if ((tries += 1) < 6) throw new Error('away');
      return { status: 'parsed' };
    },
  });
  const { result } = await run();
  expect([result, tries]).toEqual([{ status: 'parsed' }, 6]);
});

test('a document that is not read for hours is abandoned, and so is one that must not be retried', async () => {
  const away = play({
    readDocument: () => Promise.reject(new Error('away')),
    giveUpDocument: async () => ({ status: 'failed', failure_code: 'unreadable' }),
  });
  const { result } = await away.run();
  expect(result).toEqual({ status: 'failed', failure_code: 'unreadable' });
  expect(away.calls.at(-1)).toBe('giveUpDocument');
  expect(away.calls.length).toBeGreaterThan(100);
  const refused = play({
    readDocument: () => Promise.reject(ApplicationFailure.nonRetryable('no such document', 'not-found')),
    giveUpDocument: async () => ({ status: 'parsed' }),
  });
  expect((await refused.run()).result).toEqual({ status: 'parsed' });
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(6);
});
