import type { Client } from '@temporalio/client';
import type { Config } from '../../infra/config/index.ts';
import { openTemporal, probeTemporal } from '../../infra/temporal/client.ts';
import { requireSameTls } from '../../infra/temporal/tls-check.ts';
import { OperatorError } from './errors.ts';

const ANSWER_WITHIN_MS = 15_000;

/** `refusal` says in the error message what Temporal did, such as "did not accept the run". */
export async function askTemporal<T>(
  { temporal }: Pick<Config, 'temporal'>,
  refusal: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  const client = openTemporal(temporal);
  try {
    return await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => ask(client));
  } catch (error) {
    await requireSameTls(temporal);
    const { cause, details, message } = error as Error & { cause?: { details?: string }; details?: string };
    const reason = (details || cause?.details || message).replace(/\.$/, '');
    throw new OperatorError(`Temporal at ${temporal.address} ${refusal}: ${reason}.`);
  } finally {
    await client.connection.close();
  }
}

/** Does not wait for the workflow's end. `what` names the workflow in the error message. */
export async function startByHand(
  config: Pick<Config, 'temporal'>,
  what: string,
  start: (client: Client) => Promise<{ workflowId: string; runId: string }>,
) {
  const { workflowId, runId } = await askTemporal(config, `did not accept ${what}`, async (client) => {
    // Fails within seconds if Temporal is unavailable.
    await probeTemporal(config.temporal).check();
    return start(client);
  });
  const { uiUrl, namespace } = config.temporal;
  const path = [namespace, 'workflows', workflowId, runId].map(encodeURIComponent).join('/');
  return { workflow_id: workflowId, run_id: runId, ui_url: `${uiUrl}/namespaces/${path}` };
}
