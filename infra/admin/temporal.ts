import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import { openTemporal, probeTemporal } from '../temporal/client.ts';
import { OperatorError } from './errors.ts';

const ANSWER_WITHIN_MS = 10_000;

/** A workflow that an operator started, and where to watch it. */
export interface StartedByHand {
  workflow_id: string;
  run_id: string;
  ui_url: string;
}

/**
 * Starts a workflow, which the worker then runs; does not wait for its end. `what` is what Temporal is asked to take, in words.
 * @throws OperatorError when Temporal does not take it.
 */
export async function startByHand(
  { temporal }: Pick<Config, 'temporal'>,
  what: string,
  start: (client: Client) => Promise<{ workflowId: string; runId: string }>,
): Promise<StartedByHand> {
  const client = openTemporal(temporal);
  try {
    // If Temporal does not answer, the operator learns it within seconds, not after the call's timeout.
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
