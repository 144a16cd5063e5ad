import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ATTENTION, MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';

/** `IndexedValueType` of Temporal's API. */
const KEYWORD = 2;
const BOOL = 5;

/** Our search attributes by name and type. */
export const SEARCH_ATTRIBUTES = Object.fromEntries(
  [OWNER, MODULE, STATUS, ATTENTION].map((key) => [key.name, key.type === 'BOOL' ? BOOL : KEYWORD]),
);

/** A gRPC status code: the server does not know an attribute by its name. */
const INVALID_ARGUMENT = 3;
const ASKED_EVERY_MS = 250;
const KNOWN_WITHIN_MS = 60_000;

/**
 * Registers our search attributes with Temporal if they are missing, and waits until it accepts them. No workflow runs without
 * them. @throws if it takes more than a minute.
 */
export async function ensureSearchAttributes(client: Client): Promise<void> {
  const { namespace } = client.options;
  const service = client.connection.operatorService;
  const { customAttributes } = await service.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length > 0)
    await service.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
  // Also where another worker has just made them: a server goes by what it read of the namespace some seconds ago.
  const deadline = Date.now() + KNOWN_WITHIN_MS;
  while (!(await areKnown(client))) {
    if (Date.now() > deadline) throw new Error('Temporal does not register our search attributes');
    await sleep(ASKED_EVERY_MS);
  }
}

/** Whether a query may name them all; what it finds does not matter. */
async function areKnown({ connection, options: { namespace } }: Client): Promise<boolean> {
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map((name) => `${name} is null`)
    .join(' and ');
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === INVALID_ARGUMENT) return false;
    throw error;
  }
}
