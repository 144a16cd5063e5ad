import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createProvider, listProviders, removeProvider, type NewProvider } from '../../activities/auth/providers.ts';
import { openKeys } from '../keys/index.ts';
import type { Services } from '../services.ts';
import { OperatorError } from './errors.ts';
import type { Finding } from './verify.ts';

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/**
 * Registers a sign-in provider and seals its client secret. Reads the secret from the file, or from standard input for `-`,
 * because all users of the machine can see a command's arguments.
 * @throws OperatorError if the file cannot be read.
 */
export async function addProvider(
  tools: Tools,
  provider: Omit<NewProvider, 'client_secret'>,
  secretFile: string,
): Promise<Finding> {
  const { config, db } = tools;
  const given = { ...provider, client_secret: await readSecret(secretFile) };
  const keys = await openKeys(config.keys, config.environment, db);
  return { reply: { ...(await createProvider({ ...tools, keys }, given)) } };
}

async function readSecret(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new OperatorError(`--client-secret-file names ${file}, which cannot be read (${code}).`);
  }
}

/** Lists all sign-in providers, including removed ones, without their secrets. */
export async function showProviders(tools: Tools): Promise<Finding> {
  return { reply: { ...(await listProviders(tools)) } };
}

/** Removes a sign-in provider, and revokes its sessions and tokens. @throws DomainError `not-found`. */
export async function dropProvider(tools: Tools, providerId: string): Promise<Finding> {
  return { reply: { ...(await removeProvider(tools, { provider_id: providerId })) } };
}
