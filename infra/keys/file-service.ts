import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { DomainError } from '../../domain/errors.ts';
import { addVersion, createKeyFile, readKeyFile, removeVersions, type KeyFile } from './key-file.ts';
import { SealBrokenError, type KeyService, type WrappedKey } from './service.ts';

interface FileServiceOptions {
  path: string;
  reloadMs: number;
  create: boolean;
  /** How long the cached master key may wrap new keys while the file cannot be read. */
  unseenMs?: number;
}

/** Shorter than the ten minutes for which an old version is kept after a rotation, so no data is lost. */
const UNSEEN_MS = 5 * 60_000;

/** Wraps keys with A256KW (RFC 3394). A rotation replaces the file, so containers must mount the file's folder. */
export async function openFileService(options: FileServiceOptions) {
  const { path, reloadMs, create, unseenMs = UNSEEN_MS } = options;
  if (create) await createKeyFile(path, { development: true });
  const file = await watchedFile(path, reloadMs, unseenMs);

  const wrapBy = ({ current, versions }: KeyFile, contentKey: Uint8Array): WrappedKey => {
    const { version, key } = versions.find((known) => known.version === current)!;
    return { version, wrapped: keyWrap(key, contentKey) };
  };
  const keyOf = async (version: number) => {
    const find = ({ versions }: KeyFile) => versions.find((known) => known.version === version)?.key;
    const key = find(await file.recent()) ?? find(await file.afresh());
    if (key === undefined) throw new SealBrokenError('An encrypted record names a master key that does not exist.');
    return key;
  };
  const unwrap = async ({ version, wrapped }: WrappedKey) => keyUnwrap(await keyOf(version), wrapped);

  const service: KeyService = {
    kind: 'file',
    wrap: async (contentKey) => wrapBy(await file.trusted(), contentKey),
    unwrap,
    async rewrap(keys, atLeast) {
      const recent = await file.recent();
      const by = recent.current >= atLeast ? recent : await file.afresh();
      if (by.current < atLeast) throw unusable(`the file does not have version ${atLeast} yet`);
      return Promise.all(keys.map((key) => unwrap(key).then((contentKey) => wrapBy(by, contentKey), ifBroken)));
    },
    async versions() {
      const { current, versions } = await file.afresh();
      return { current, versions: versions.map(({ version, createdAt }) => ({ version, created_at: createdAt })) };
    },
    async rotate(from) {
      const current = await addVersion(path, from).catch(refuse);
      await file.afresh();
      return current;
    },
    async retire(version) {
      await removeVersions(path, version).catch(refuse);
      await file.afresh();
    },
    async check() {
      await file.afresh();
    },
  };
  return { service, indexSecret: (await file.recent()).indexSecret };
}

async function watchedFile(path: string, reloadMs: number, unseenMs: number) {
  let known = await readKeyFile(path);
  let lookedAt = performance.now();
  let seenAt = lookedAt;
  let looking: Promise<void> | undefined;

  const reload = async () => {
    lookedAt = performance.now();
    const found = await readKeyFile(path);
    if (!found.indexSecret.equals(known.indexSecret)) throw unusable('the file belongs to a different deployment');
    known = found;
    seenAt = performance.now();
  };
  const recent = async (): Promise<KeyFile> => {
    if (performance.now() - lookedAt >= reloadMs) {
      looking ??= reload()
        .catch(() => undefined)
        .finally(() => (looking = undefined));
      await looking;
    }
    return known;
  };
  const afresh = async (): Promise<KeyFile> => {
    await reload().catch(refuse);
    return known;
  };
  return {
    recent,
    afresh,
    /** Reads the file again if the last successful check is older than `unseenMs`. */
    async trusted(): Promise<KeyFile> {
      const file = await recent();
      return performance.now() - seenAt > unseenMs ? afresh() : file;
    },
  };
}

const KEY_WRAP = 'id-aes256-wrap';
/** RFC 3394, section 2.2.3.1. */
const INITIAL_VALUE = Buffer.alloc(8, 0xa6);

function keyWrap(key: KeyObject, contentKey: Uint8Array): Uint8Array {
  const cipher = createCipheriv(KEY_WRAP, key, INITIAL_VALUE);
  return Buffer.concat([cipher.update(contentKey), cipher.final()]);
}

function keyUnwrap(key: KeyObject, wrapped: Uint8Array): Uint8Array {
  try {
    const decipher = createDecipheriv(KEY_WRAP, key, INITIAL_VALUE);
    return new Uint8Array(Buffer.concat([decipher.update(wrapped), decipher.final()]));
  } catch (error) {
    throw new SealBrokenError('An encrypted record was changed, or was copied from a different record.', {
      cause: error,
    });
  }
}

function ifBroken(error: unknown): undefined {
  if (!(error instanceof SealBrokenError)) throw error;
}

function refuse(error: unknown): never {
  if (error instanceof DomainError) throw error;
  const { code, message } = error as NodeJS.ErrnoException;
  throw unusable(code ?? message.replace(/\.$/, ''));
}

function unusable(reason: string): DomainError {
  return new DomainError('dependency-unavailable', `The master key file cannot be used: ${reason}.`, {
    dependency: 'key service',
  });
}
