import type { Client } from '@temporalio/client';
import { ATTENTION, MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';

/** `IndexedValueType` of Temporal's API. */
const KEYWORD = 2;
const BOOL = 5;

/** Our search attributes by name and type. */
export const SEARCH_ATTRIBUTES = Object.fromEntries(
  [OWNER, MODULE, STATUS, ATTENTION].map((key) => [key.name, key.type === 'BOOL' ? BOOL : KEYWORD]),
);

/** Registers our search attributes with a Temporal that does not have them yet; without them no workflow could run. */
export async function ensureSearchAttributes(client: Client): Promise<void> {
  const { namespace } = client.options;
  const service = client.connection.operatorService;
  const { customAttributes } = await service.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length > 0)
    await service.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
}
