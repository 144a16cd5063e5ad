import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { KEY_MARK } from '../config/development.ts';
import { ConfigError } from '../config/settings.ts';
import { lockFile } from './file-lock.ts';
import { requirePrivate } from './private-file.ts';

export interface KeyFile {
  current: number;
  versions: readonly { version: number; createdAt: string; key: KeyObject }[];
  /** The secret for keyed hashes. The secret never rotates, because stored hashes would no longer match. */
  indexSecret: KeyObject;
}

const FORMAT = 'ringfence-master-keys/1';
const contentSchema = z
  .looseObject({
    format: z.literal(FORMAT),
    note: z.string().optional(),
    current: z.int(),
    versions: z.array(z.object({ version: z.int().positive(), key: z.string(), created_at: z.string() })),
    index_secret: z.string(),
  })
  .refine(({ versions }) => new Set(versions.map(({ version }) => version)).size === versions.length)
  .refine(({ current, versions }) => versions.some(({ version }) => version === current));
type Content = z.output<typeof contentSchema>;

const KEY_BYTES = 32;

export async function readKeyFile(path: string): Promise<KeyFile> {
  const found = await readIfThere(path);
  if (found !== undefined) return imported(path, found.content);
  throw new ConfigError(
    `MASTER_KEY_FILE names ${path}, which does not exist. Restore the file from its backup. Without the file, the service cannot read any stored personal data.`,
  );
}

/** If several processes create the file at once, the first file is kept. */
export async function createKeyFile(path: string, { development = false } = {}): Promise<void> {
  if ((await readIfThere(path)) !== undefined) return;
  const versions = [newVersion(1)];
  const note = development ? { note: KEY_MARK } : {};
  const content: Content = { format: FORMAT, ...note, current: 1, versions, index_secret: secret() };
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${randomBytes(8).toString('hex')}`;
    await beside(draft, content, () => linkOnce(draft, path));
  } catch (error) {
    throw new ConfigError(`MASTER_KEY_FILE names ${path}, which could not be created (${codeOf(error)}).`);
  }
}

/** Adds a version only if `from` is still current. @returns the current version. */
export async function addVersion(path: string, from: number): Promise<number> {
  const { current } = await changeKeyFile(path, (file) => {
    if (file.current !== from) return undefined;
    const version = Math.max(...file.versions.map((known) => known.version)) + 1;
    return { ...file, current: version, versions: [...file.versions, newVersion(version)] };
  });
  return current;
}

/** Removes `upTo` and earlier versions, but keeps the current version. */
export async function removeVersions(path: string, upTo: number): Promise<void> {
  await changeKeyFile(path, (file) => {
    const versions = file.versions.filter(({ version }) => version > upTo || version === file.current);
    return versions.length === file.versions.length ? undefined : { ...file, versions };
  });
}

/** `change` returns undefined if nothing needs to change. */
async function changeKeyFile(named: string, change: (content: Content) => Content | undefined): Promise<Content> {
  const path = await realpath(named);
  return lockFile(`${path}.lock`, async () => {
    const found = await readIfThere(path);
    if (found === undefined) throw new ConfigError(`${path} no longer exists.`);
    const changed = change(found.content);
    if (changed === undefined) return found.content;
    // Only the lock's holder writes the draft, so an existing draft is left over from a crash.
    const draft = `${path}.next`;
    await rm(draft, { force: true });
    await beside(draft, changed, () => rename(draft, path), found.owner);
    return changed;
  });
}

interface Owner {
  mode: number;
  uid: number;
  gid: number;
}

/** Writes the content to disk before `publish` makes the file visible. */
async function beside(draft: string, content: Content, publish: () => Promise<void>, owner?: Owner): Promise<void> {
  try {
    await written(draft, `${JSON.stringify(content, null, 2)}\n`, owner);
    await publish();
    // On Windows a folder cannot be opened, and needs no sync.
    if (process.platform === 'win32') return;
    await using folder = await open(dirname(draft), 'r');
    await folder.sync();
  } finally {
    await rm(draft, { force: true });
  }
}

async function written(draft: string, text: string, owner?: Owner): Promise<void> {
  await using file = await open(draft, 'wx', 0o600);
  await file.writeFile(text);
  if (owner !== undefined) {
    const { uid, gid } = await file.stat();
    if (uid !== owner.uid || gid !== owner.gid) await file.chown(owner.uid, owner.gid);
    await file.chmod(owner.mode);
  }
  await file.sync();
}

async function linkOnce(draft: string, path: string): Promise<void> {
  await link(draft, path).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

async function readIfThere(path: string): Promise<{ content: Content; owner: Owner } | undefined> {
  try {
    await using file = await open(path, 'r');
    const { mode, uid, gid } = await file.stat();
    requirePrivate('MASTER_KEY_FILE', path, mode);
    const content = parsed(path, await file.readFile('utf8'));
    return { content, owner: { mode: mode & 0o777, uid, gid } };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`MASTER_KEY_FILE names ${path}, which cannot be read (${codeOf(error)}).`);
  }
}

/** The error must not quote the file's content. */
function parsed(path: string, text: string): Content {
  try {
    return contentSchema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`MASTER_KEY_FILE names ${path}, which is not a master key file of this service (${FORMAT}).`);
  }
}

function imported(path: string, { current, versions, index_secret }: Content): KeyFile {
  const keyOf = (encoded: string) => {
    const bytes = Buffer.from(encoded, 'base64url');
    if (bytes.length !== KEY_BYTES)
      throw new ConfigError(`MASTER_KEY_FILE names ${path}, in which a key is not ${KEY_BYTES} bytes long.`);
    return createSecretKey(bytes);
  };
  return {
    current,
    versions: versions
      .map(({ version, key, created_at }) => ({ version, createdAt: created_at, key: keyOf(key) }))
      .toSorted((a, b) => a.version - b.version),
    indexSecret: keyOf(index_secret),
  };
}

function newVersion(version: number) {
  return { version, key: secret(), created_at: new Date().toISOString() };
}

function secret(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
