import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { CredentialWorkflowActivities } from '../../activities/credential/index.ts';
import { credentialWorkflowId } from '../../workflows/ids.ts';
import { keepHistory, type History } from '../helpers/histories.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

const HISTORIES = fileURLToPath(new URL('./histories/credential/', import.meta.url));

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

async function run(issueCredential: CredentialWorkflowActivities['issueCredential']) {
  const taskQueue = `upkeep-${(runs += 1)}`;
  const workflowId = credentialWorkflowId(`cred_${runs}`);
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: { issueCredential },
  });
  return worker.runUntil(async () => {
    const args = [{ credential_id: `cred_${runs}` }];
    const handle = await env.client.workflow.start('credential', { workflowId, taskQueue, args });
    const result = (await handle.result().catch((error: unknown) => ({ error }))) as unknown;
    return { result, history: await handle.fetchHistory() };
  });
}

const keep = (name: string, history: History) => keepHistory(HISTORIES, name, history);

test('a credential is signed, and the workflow ends', async () => {
  const asked: unknown[] = [];
  const { result, history } = await run(async (request) => void asked.push(request));
  await keep('issues', history);
  expect(result).toEqual({ status: 'issued' });
  expect(asked).toEqual([{ credential_id: 'cred_1' }]);
});

test('signing is retried without limit', async () => {
  let tries = 0;
  const { result, history } = await run(async () => {
    if ((tries += 1) < 12) throw new Error('the key service is away');
  });
  await keep('tried-again', history);
  expect(result).toEqual({ status: 'issued' });
  expect(tries).toBe(12);
});

test('an unknown credential ends the workflow', async () => {
  let tries = 0;
  const { result } = await run(async () => {
    tries += 1;
    throw ApplicationFailure.create({ type: 'not-found', message: 'There is no such credential.', nonRetryable: true });
  });
  expect(result).toHaveProperty('error');
  expect(tries).toBe(1);
});

test('every saved history replays on the workflow as it is now', async () => {
  const files = (await readdir(HISTORIES)).filter((file) => file.endsWith('.json'));
  expect(files.length).toBeGreaterThanOrEqual(2);
  for (const file of files) {
    const history: unknown = JSON.parse(await readFile(`${HISTORIES}${file}`, 'utf8'));
    await Worker.runReplayHistory({ workflowBundle }, history, 'credential/replayed');
  }
});
