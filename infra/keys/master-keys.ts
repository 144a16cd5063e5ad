import { createSecretKey, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from '../config.ts';

/** The keys that wrap content keys, by version, and the secret that blind indexes are derived from. */
export interface MasterKeys {
  /** Wraps what is sealed from now on. */
  current: { version: number; key: webcrypto.CryptoKey };
  /** The key of that version, or undefined. */
  keyOf: (version: number) => webcrypto.CryptoKey | undefined;
  /** Stays the same when master keys rotate, else nothing would be found again. */
  indexSecret: KeyObject;
}

interface MasterKeyFile {
  format: typeof FORMAT;
  current: number;
  versions: { version: number; key: string; created_at: string }[];
  index_secret: string;
}

const FORMAT = 'ringfence-master-keys/1';
const KEY_BYTES = 32;
/** Write by the group, anything by others. */
const TOO_OPEN = 0o027;

/** Reads the file; where it is missing and may be created, makes it: once, however many processes start at the same time. */
export async function loadMasterKeys(path: string, { create }: { create: boolean }): Promise<MasterKeys> {
  const text = (await readIfThere(path)) ?? (create ? await createOnce(path) : undefined);
  if (text === undefined) {
    throw new ConfigError(
      `MASTER_KEY_FILE names ${path}, which does not exist. Restore it from its backup: without it no stored personal data can be read.`,
    );
  }
  return imported(path, parsed(path, text));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & TOO_OPEN) !== 0) {
      throw new ConfigError(
        `MASTER_KEY_FILE names ${path}, which other users of this machine can reach; run chmod 600 on it.`,
      );
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    throw new ConfigError(`MASTER_KEY_FILE names ${path}, which cannot be read (${code ?? 'unknown error'}).`);
  }
}

/** Written in full beside its place, then linked to it: the link fails where somebody was faster, and then theirs counts. */
async function createOnce(path: string): Promise<string | undefined> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(freshKeys(), null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ConfigError(`MASTER_KEY_FILE names ${path}, which could not be made (${code ?? 'unknown error'}).`);
  } finally {
    await rm(draft, { force: true });
  }
  return readIfThere(path);
}

function freshKeys(): MasterKeyFile {
  const secret = () => randomBytes(KEY_BYTES).toString('base64url');
  return {
    format: FORMAT,
    current: 1,
    versions: [{ version: 1, key: secret(), created_at: new Date().toISOString() }],
    index_secret: secret(),
  };
}

function parsed(path: string, text: string): MasterKeyFile {
  try {
    const file = JSON.parse(text) as Partial<MasterKeyFile> | null;
    if (
      file?.format === FORMAT &&
      Array.isArray(file.versions) &&
      file.versions.some((v) => v.version === file.current)
    ) {
      return file as MasterKeyFile;
    }
  } catch {
    // Not JSON: the sentence below says all that may be said of the content.
  }
  throw new ConfigError(`MASTER_KEY_FILE names ${path}, which is not a master key file of this service (${FORMAT}).`);
}

async function imported(path: string, file: MasterKeyFile): Promise<MasterKeys> {
  const bytes = (encoded: unknown) => {
    const key = Buffer.from(String(encoded), 'base64url');
    if (key.length !== KEY_BYTES)
      throw new ConfigError(`MASTER_KEY_FILE names ${path}, in which a key is not ${KEY_BYTES} bytes long.`);
    return key;
  };
  const keys = new Map<number, webcrypto.CryptoKey>();
  for (const { version, key } of file.versions) {
    keys.set(version, await webcrypto.subtle.importKey('raw', bytes(key), 'AES-KW', false, ['wrapKey', 'unwrapKey']));
  }
  return {
    current: { version: file.current, key: keys.get(file.current)! },
    keyOf: (version) => keys.get(version),
    indexSecret: createSecretKey(bytes(file.index_secret)),
  };
}
