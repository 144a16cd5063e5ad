import { listMasterKeys, retireMasterKey } from '../../activities/vault-keys.ts';
import { MASTER_KEY_ROTATION, TASK_QUEUES } from '../../workflows/ids.ts';
import type { Config } from '../../infra/config/index.ts';
import { openMasterKeys } from '../../infra/keys/index.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { attributesOf, startWorkflow } from '../../infra/temporal/start.ts';
import type { Tools } from './command.ts';
import { UsageError } from './errors.ts';
import { startByHand } from './temporal.ts';

/** Joins a running rotation, and does not wait for the end. */
export async function rotateMasterKeys(config: Config): Promise<object> {
  return startByHand(config, 'the rotation', (client) =>
    startWorkflow(client, {
      type: 'rotateMasterKey',
      workflowId: MASTER_KEY_ROTATION,
      taskQueue: TASK_QUEUES.upkeep,
      args: [],
      staticSummary: 'Rotate the master key of the PII vault',
      typedSearchAttributes: attributesOf('vault'),
    }),
  );
}

export async function createMasterKeys({ keys, environment }: Config): Promise<object> {
  const { service, masterKeyFile } = keys;
  if (service !== 'file')
    throw new UsageError('KEY_SERVICE is "transit", so create the master key in the Transit engine.');
  await createKeyFile(masterKeyFile, { development: environment === 'sandbox' });
  return { master_key_file: masterKeyFile };
}

export async function showMasterKeys(tools: Tools): Promise<object> {
  return listMasterKeys(await withKeys(tools));
}

export async function retireMasterKeys(tools: Tools, version: string): Promise<object> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new UsageError(`VERSION is "${version}", but must be a whole number.`);
  return retireMasterKey(await withKeys(tools), { version: Number(version) });
}

async function withKeys(tools: Tools) {
  return { ...tools, keys: { masterKeys: await openMasterKeys(tools.config.keys) } };
}
