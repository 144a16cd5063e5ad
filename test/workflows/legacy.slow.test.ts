import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { DocumentWorkflowActivities, ReadingResult } from '../../activities/legacy/index.ts';
import { documentWorkflowId } from '../../workflows/ids.ts';
import { keepHistory, type History } from '../helpers/histories.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

const HISTORIES = fileURLToPath(new URL('./histories/legacy/', import.meta.url));

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;

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
        return { result, history: await handle.fetchHistory() };
      });
    },
  };
}

const keep = (name: string, history: History) => keepHistory(HISTORIES, name, history);

test('a document that is read takes one activity', async () => {
  const { run, calls } = play({ readDocument: async () => ({ status: 'parsed' }) });
  const { result, history } = await run();
  await keep('parsed', history);
  expect([result, calls]).toEqual([{ status: 'parsed' }, ['readDocument']]);
});

test('a document that cannot be read ends as failed, with the code', async () => {
  const { run } = play({ readDocument: async () => ({ status: 'failed', failure_code: 'encrypted-pdf' }) });
  const { result, history } = await run();
  await keep('failed', history);
  expect(result).toEqual({ status: 'failed', failure_code: 'encrypted-pdf' });
});

test('a document that is erased meanwhile ends without an error', async () => {
  const { run } = play({ readDocument: async () => ({ status: 'erased' }) });
  const { result, history } = await run();
  await keep('erased', history);
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
  const { result, history } = await run();
  await keep('tried-again', history);
  expect([result, tries]).toEqual([{ status: 'parsed' }, 6]);
});

test('a document that is not read for hours is abandoned, and so is one that must not be retried', async () => {
  const away = play({
    readDocument: () => Promise.reject(new Error('away')),
    giveUpDocument: async () => ({ status: 'failed', failure_code: 'unreadable' }),
  });
  const { result, history } = await away.run();
  await keep('given-up', history);
  expect(result).toEqual({ status: 'failed', failure_code: 'unreadable' });
  expect(away.calls.at(-1)).toBe('giveUpDocument');
  expect(away.calls.length).toBeGreaterThan(100);
  const refused = play({
    readDocument: () => Promise.reject(ApplicationFailure.nonRetryable('no such document', 'not-found')),
    giveUpDocument: async () => ({ status: 'parsed' }),
  });
  expect((await refused.run()).result).toEqual({ status: 'parsed' });
});

test('every saved history replays on the current workflow, and contains only the id', async () => {
  const files = (await readdir(HISTORIES)).filter((file) => file.endsWith('.json'));
  expect(files.length).toBeGreaterThanOrEqual(5);
  for (const file of files) {
    const history: unknown = JSON.parse(await readFile(`${HISTORIES}${file}`, 'utf8'));
    await Worker.runReplayHistory({ workflowBundle }, history, documentWorkflowId('doc_replayed'));
  }
});
