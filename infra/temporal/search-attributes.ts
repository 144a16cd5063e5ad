import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ATTENTION, MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';

/** Values of `IndexedValueType` in Temporal's API. */
const KEYWORD = 2;
const BOOL = 5;

export const ATTRIBUTE_KEYS = [OWNER, MODULE, STATUS, ATTENTION];

export const SEARCH_ATTRIBUTES = Object.fromEntries(
  ATTRIBUTE_KEYS.map((key) => [key.name, key.type === 'BOOL' ? BOOL : KEYWORD]),
);

/** The gRPC status code for a search attribute that the server does not know. */
const INVALID_ARGUMENT = 3;
const CHECK_EVERY_MS = 250;
const KNOWN_WITHIN_MS = 60_000;

/** Registers missing search attributes, and waits until queries can use them. @throws after a minute. */
export async function ensureSearchAttributes(client: Client): Promise<void> {
  const { namespace } = client.options;
  const service = client.connection.operatorService;
  const { customAttributes } = await service.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length > 0)
    await service.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
  // Waits even if another worker registered the attributes, because servers cache the list for some seconds.
  const deadline = Date.now() + KNOWN_WITHIN_MS;
  while (!(await areKnown(client))) {
    if (Date.now() > deadline) throw new Error('Temporal does not register our search attributes');
    await sleep(CHECK_EVERY_MS);
  }
}

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
