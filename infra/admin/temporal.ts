import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import { openTemporal, probeTemporal } from '../temporal/client.ts';
import { OperatorError } from './errors.ts';

const ANSWER_WITHIN_MS = 10_000;

interface StartedByHand {
  workflow_id: string;
  run_id: string;
  ui_url: string;
}

/** Does not wait for the workflow's end. `what` names the workflow in the error message. */
export async function startByHand(
  { temporal }: Pick<Config, 'temporal'>,
  what: string,
  start: (client: Client) => Promise<{ workflowId: string; runId: string }>,
): Promise<StartedByHand> {
  const client = openTemporal(temporal);
  try {
    // Fails within seconds if Temporal is unavailable.
    await probeTemporal(temporal).check();
    const { workflowId, runId } = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => start(client));
    const path = [temporal.namespace, 'workflows', workflowId, runId].map(encodeURIComponent).join('/');
    const ui_url = `${temporal.uiUrl.replace(/\/+$/, '')}/namespaces/${path}`;
    return { workflow_id: workflowId, run_id: runId, ui_url };
  } catch (error) {
    throw new OperatorError(`Temporal at ${temporal.address} did not accept ${what}: ${reasonOf(error)}.`);
  } finally {
    await client.connection.close();
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { details?: string } };
  return (cause?.details ?? message).replace(/\.$/, '');
}
