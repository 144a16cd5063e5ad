import { listMasterKeys, retireMasterKey } from '../../activities/vault-keys.ts';
import { MODULE, STATUS } from '../../workflows/attributes.ts';
import { MASTER_KEY_ROTATION, TASK_QUEUES } from '../../workflows/ids.ts';
import type { Config } from '../config.ts';
import { openMasterKeys } from '../keys/index.ts';
import type { Services } from '../services.ts';
import { openTemporal } from '../temporal/client.ts';
import { OperatorError, UsageError } from './errors.ts';
import type { Finding } from './verify.ts';

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

const ANSWER_WITHIN_MS = 10_000;

/** Starts the rotation, which the worker then runs, or joins the one that runs; does not wait for its end. */
export async function rotateMasterKeys({ temporal }: Config): Promise<Finding> {
  const client = openTemporal(temporal);
  try {
    const { workflowId, firstExecutionRunId: runId } = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      client.workflow.start('rotateMasterKey', {
        workflowId: MASTER_KEY_ROTATION,
        taskQueue: TASK_QUEUES.upkeep,
        args: [],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: 'Rotate the master key of the PII vault',
        typedSearchAttributes: [
          { key: MODULE, value: 'vault' },
          { key: STATUS, value: 'processing' },
        ],
      }),
    );
    const path = [temporal.namespace, 'workflows', workflowId, runId].map(encodeURIComponent).join('/');
    const ui_url = `${temporal.uiUrl.replace(/\/+$/, '')}/namespaces/${path}`;
    return { reply: { workflow_id: workflowId, run_id: runId, ui_url } };
  } catch (error) {
    throw new OperatorError(`Temporal at ${temporal.address} did not take the rotation: ${reasonOf(error)}.`);
  } finally {
    await client.connection.close();
  }
}

/** All versions, and what is sealed under each. */
export async function showMasterKeys(tools: Tools): Promise<Finding> {
  return { reply: { ...(await listMasterKeys(await withKeys(tools))) } };
}

/** Ends a version and all before it. @throws DomainError with the reason where something needs them. */
export async function retireMasterKeys(tools: Tools, version: string): Promise<Finding> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new UsageError(`VERSION is "${version}", but it takes a whole number.`);
  return { reply: { ...(await retireMasterKey(await withKeys(tools), { version: Number(version) })) } };
}

async function withKeys(tools: Tools) {
  return { ...tools, keys: { masterKeys: await openMasterKeys(tools.config.keys) } };
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { details?: string } };
  return (cause?.details ?? message).replace(/\.$/, '');
}
