import { createProvider, listProviders, removeProvider, type NewProvider } from '../../activities/auth/providers.ts';
import { openKeys } from '../keys/index.ts';
import type { Services } from '../services.ts';
import type { Finding } from './verify.ts';

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/** Registers another provider that people may sign in with; its secret is sealed under the master keys. */
export async function addProvider(tools: Tools, given: NewProvider): Promise<Finding> {
  const { config, db } = tools;
  const keys = await openKeys(config.keys, config.environment, db);
  return { reply: { ...(await createProvider({ ...tools, keys }, given)) } };
}

/** All of them, those removed as well; never a secret. */
export async function showProviders(tools: Tools): Promise<Finding> {
  return { reply: { ...(await listProviders(tools)) } };
}

/** Ends signing in with a provider. @throws DomainError `not-found`. */
export async function dropProvider(tools: Tools, providerId: string): Promise<Finding> {
  return { reply: { ...(await removeProvider(tools, { provider_id: providerId })) } };
}
