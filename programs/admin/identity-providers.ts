import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createIdentityProvider, type NewIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { keysOf, type Tools } from './command.ts';
import { OperatorError } from './errors.ts';

/** Reads the secret from a file, because all users of the machine can see a command's arguments. */
export async function addIdentityProvider(
  tools: Tools,
  identityProvider: Omit<NewIdentityProvider, 'client_secret'>,
  secretFile: string,
): Promise<object> {
  const given = { ...identityProvider, client_secret: await readSecret(secretFile) };
  return createIdentityProvider({ ...tools, keys: await keysOf(tools) }, given);
}

async function readSecret(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new OperatorError(`--client-secret-file names ${file}, which cannot be read (${code}).`);
  }
}
