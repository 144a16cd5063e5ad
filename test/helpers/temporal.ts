import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Services } from '../../infra/services.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { ensureSearchAttributes } from '../../infra/temporal/search-attributes.ts';
import { testEnvironment } from './environment.ts';
import { until } from './until.ts';

/** The first call in a run starts the server. */
export async function temporalAddress(): Promise<string> {
  const response = await fetch(`${testEnvironment().door}/temporal`);
  const answer = (await response.json()) as { address?: string; error?: string };
  if (answer.address === undefined) throw new Error(answer.error ?? 'Temporal did not start');
  return answer.address;
}

const DAY_S = 86_400;

/** Makes a namespace for these services, because the worker of another test file would take their tasks. */
export async function openNamespace({
  config: { temporal },
}: Pick<Services, 'config'>): Promise<{ client: Client; connection: NativeConnection }> {
  const address = await temporalAddress();
  temporal.namespace = `test-${randomBytes(4).toString('hex')}`;
  const client = openTemporal({ ...temporal, address });
  await client.workflowService.registerNamespace({
    namespace: temporal.namespace,
    workflowExecutionRetentionPeriod: { seconds: DAY_S as never },
  });
  const isThere = () =>
    ensureSearchAttributes(client).then(
      () => true,
      () => false,
    );
  await until(isThere, 'the namespace to be there');
  return { client, connection: await NativeConnection.connect({ address }) };
}
