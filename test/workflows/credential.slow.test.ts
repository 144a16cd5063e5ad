import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { CredentialWorkflowActivities } from '../../activities/credential/index.ts';
import { credentialWorkflowId } from '../../workflows/ids.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

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
    await record(handle);
    return { result };
  });
}

test('a credential is signed, and the workflow ends', async () => {
  const asked: unknown[] = [];
  const { result } = await run(async (request) => void asked.push(request));
  expect(result).toEqual({ status: 'issued' });
  expect(asked).toEqual([{ credential_id: 'cred_1' }]);
});

test('signing is retried without limit', async () => {
  let tries = 0;
  const { result } = await run(async () => {
    if ((tries += 1) < 12) throw new Error('the key service is away');
  });
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

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(3);
});
