import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KEY_MARK } from '../config/development.ts';
import { ConfigError } from '../config/settings.ts';
import { requirePrivate } from '../keys/private-file.ts';

/** The first key of the file signs. Further private or public keys in it only check what they signed earlier. */
export interface CheckpointKey {
  signs: KeyObject;
  checks: readonly KeyObject[];
}

const NAME = 'CHECKPOINT_KEY';
const PEM = /-----BEGIN (?:PRIVATE|PUBLIC) KEY-----[^-]+-----END (?:PRIVATE|PUBLIC) KEY-----/g;

/** @throws ConfigError if the file is missing, or other users can read it, or it has no Ed25519 key. */
export async function readCheckpointKey(path: string): Promise<CheckpointKey> {
  const keys = keysIn((await contentOf(path)) ?? '');
  const [signs] = keys ?? [];
  if (keys !== undefined && signs?.type === 'private')
    return { signs, checks: keys.map((key) => (key.type === 'private' ? createPublicKey(key) : key)) };
  throw new ConfigError(
    keys?.length === 0
      ? `${NAME} names ${path}, which does not exist or is empty. Restore the file from its backup, or make it with admin checkpoint-key create.`
      : `${NAME} names ${path}, which does not begin with an Ed25519 private key in PEM.`,
  );
}

/** If several processes create the file at once, the first file is kept. */
export async function createCheckpointKey(path: string, { development = false } = {}): Promise<void> {
  if ((await contentOf(path)) !== undefined) return;
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await written(draft, development ? `# ${KEY_MARK}\n${pem}` : pem);
    await link(draft, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw new ConfigError(`${NAME} names ${path}, which could not be created (${codeOf(error)}).`);
  } finally {
    await rm(draft, { force: true });
  }
}

async function written(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.writeFile(text);
  await handle.sync();
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, 'r');
    requirePrivate(NAME, path, (await file.stat()).mode);
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${NAME} names ${path}, which cannot be read (${codeOf(error)}).`);
  }
}

/** Undefined if a key cannot be used. */
function keysIn(text: string): KeyObject[] | undefined {
  try {
    const keys = (text.match(PEM) ?? []).map((pem) =>
      pem.includes('BEGIN PUBLIC') ? createPublicKey(pem) : createPrivateKey(pem),
    );
    return keys.every((key) => key.asymmetricKeyType === 'ed25519') ? keys : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
