import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { BankWorkflowActivities } from '../../activities/bank/index.ts';
import type { CredentialWorkflowActivities } from '../../activities/credential/index.ts';
import type { DocumentWorkflowActivities } from '../../activities/legacy/index.ts';
import { consentEndWorkflowId, credentialWorkflowId, documentWorkflowId } from '../../workflows/ids.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

/** Runs a workflow to its end. `calls` has the names and the arguments of the activities. */
async function run(
  type: string,
  workflowId: string,
  args: object,
  activities: Record<string, (args: never) => unknown>,
) {
  const taskQueue = `queue-${(runs += 1)}`;
  const calls: [name: string, args: unknown][] = [];
  const noted = Object.entries(activities).map(([name, activity]) => [
    name,
    (given: never) => {
      calls.push([name, given]);
      return activity(given);
    },
  ]);
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: Object.fromEntries(noted) as Record<string, () => unknown>,
  });
  return worker.runUntil(async () => {
    const handle = await env.client.workflow.start(type, { workflowId, taskQueue, args: [args] });
    const result = (await handle.result().catch((error: unknown) => ({ error }))) as unknown;
    await record(handle);
    return { result, calls };
  });
}

describe('the reading of a document', () => {
  let documents = 0;
  const read = (activities: Partial<DocumentWorkflowActivities>) => {
    const doc_id = `doc_${(documents += 1)}`;
    return run('readPayslip', documentWorkflowId(doc_id), { doc_id }, activities);
  };

  test.each([
    { status: 'parsed' as const },
    { status: 'failed' as const, failure_code: 'encrypted-pdf' as const },
    { status: 'erased' as const },
  ])('takes one activity, and ends with its outcome: %j', async (outcome) => {
    const { result, calls } = await read({ readDocument: async () => outcome });
    expect([result, calls]).toEqual([outcome, [['readDocument', { doc_id: `doc_${documents}` }]]]);
  });

  test('is retried while readers and keys are unavailable', async () => {
    let tries = 0;
    const { result } = await read({
      readDocument: async () => {
        if ((tries += 1) < 6) throw new Error('away');
        return { status: 'parsed' };
      },
    });
    expect([result, tries]).toEqual([{ status: 'parsed' }, 6]);
  });

  test('is abandoned if it is impossible for hours, or must not be retried', async () => {
    const away = await read({
      readDocument: () => Promise.reject(new Error('away')),
      giveUpDocument: async () => ({ status: 'failed', failure_code: 'unreadable' }),
    });
    expect(away.result).toEqual({ status: 'failed', failure_code: 'unreadable' });
    expect(away.calls.at(-1)![0]).toBe('giveUpDocument');
    expect(away.calls.length).toBeGreaterThan(100);
    const refused = await read({
      readDocument: () => Promise.reject(ApplicationFailure.nonRetryable('no such document', 'not-found')),
      giveUpDocument: async () => ({ status: 'parsed' }),
    });
    expect(refused.result).toEqual({ status: 'parsed' });
  });
});

describe('the signing of a credential', () => {
  const sign = (credential_id: string, issueCredential: CredentialWorkflowActivities['issueCredential']) =>
    run('credential', credentialWorkflowId(credential_id), { credential_id }, { issueCredential });

  test('is retried without limit, and ends the workflow', async () => {
    let tries = 0;
    const { result, calls } = await sign('cred_1', async () => {
      if ((tries += 1) < 12) throw new Error('the key service is away');
    });
    expect(result).toEqual({ status: 'issued' });
    expect(calls).toEqual(Array.from({ length: 12 }, () => ['issueCredential', { credential_id: 'cred_1' }]));
  });

  test('ends with an error if the credential is unknown', async () => {
    const unknown = { type: 'not-found', message: 'There is no such credential.', nonRetryable: true };
    const { result, calls } = await sign('cred_2', () => Promise.reject(ApplicationFailure.create(unknown)));
    expect([Object.keys(result as object), calls.length]).toEqual([['error'], 1]);
  });
});

test('the end of a consent is retried for as long as the bank is away', async () => {
  let tries = 0;
  const consent = { consent_id: 'cons_1' };
  const endConsent: BankWorkflowActivities['endConsent'] = async () => {
    if ((tries += 1) < 300) throw new Error('the bank is away');
    return { status: 'ended' };
  };
  const { result, calls } = await run('endBankConsent', consentEndWorkflowId('cons_1'), consent, { endConsent });
  expect([result, calls.length, calls.at(-1)]).toEqual([{ status: 'ended' }, 300, ['endConsent', consent]]);
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(9);
});
