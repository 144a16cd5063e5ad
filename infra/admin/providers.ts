import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createProvider, listProviders, removeProvider, type NewProvider } from '../../activities/auth/providers.ts';
import { openKeys } from '../keys/index.ts';
import type { Services } from '../services.ts';
import { OperatorError } from './errors.ts';
import type { Finding } from './verify.ts';

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/**
 * Registers another provider that people may sign in with. Its secret comes from the file, or with `-` from standard input: an
 * argument would show it to everybody on the machine. It is sealed under the master keys.
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

/** All of them, those removed as well; never a secret. */
export async function showProviders(tools: Tools): Promise<Finding> {
  return { reply: { ...(await listProviders(tools)) } };
}

/** Ends signing in with a provider, and what came through it. @throws DomainError `not-found`. */
export async function dropProvider(tools: Tools, providerId: string): Promise<Finding> {
  return { reply: { ...(await removeProvider(tools, { provider_id: providerId })) } };
}
