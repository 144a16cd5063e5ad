import { createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DERIVED_KEYS, SEAL_USES, type MacKind } from '../../domain/frozen-strings.ts';
import type { Queries } from '../db/connection.ts';
import { insertSecret, macSecrets, secretByName } from '../db/queries/vault-keys.ts';
import { openWith, sealWith } from './seal.ts';
import { SealBrokenError, type KeyService } from './service.ts';

/** `version` names the secret of the MAC. */
export interface Mac {
  mac: string;
  version: number;
}

/** What a MAC covers, in a fixed order. Instants are ISO text. */
export type MacFields = readonly (string | number | null | readonly string[])[];

export type Macs = ReturnType<typeof openMacs>;

interface Secret {
  sealed: string;
  secret: KeyObject;
  /** A key for each kind, derived on first use. */
  keys: Map<MacKind, KeyObject>;
}

type SecretStore = Pick<Queries, 'many' | 'maybe' | 'one' | 'run'>;

const RELOAD_AT_MOST_EVERY_MS = 1_000;
const BYTES = 32;

/**
 * HMAC-SHA-256 under secrets that only the key service can open, so that nobody makes a MAC with the database alone. The
 * process keeps the secrets, and reads every `reloadMs` which there are.
 */
export function openMacs(masterKeys: KeyService, db: SecretStore | undefined, reloadMs: number) {
  let known: ReadonlyMap<number, Secret> = new Map();
  let loading: Promise<void> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  /** All secrets of before this moment are known. */
  let completeAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const load = async () => {
    const beganAt = performance.now();
    known = await readSecrets(masterKeys, storeOf(db), known);
    completeAt = beganAt;
    loadedAt = performance.now();
    timer ??= setInterval(() => void reload().catch(() => undefined), Math.max(reloadMs, RELOAD_AT_MOST_EVERY_MS));
    timer.unref();
  };
  const reload = () => (loading ??= load().finally(() => (loading = undefined)));
  const current = () => Math.max(...known.keys());
  /** Anybody who can write a row can name any version, so this waits rather than read again for each. */
  const secretOf = async (version: number, readAt: number) => {
    while (!known.has(version) && completeAt < readAt) {
      const wait = loadedAt + RELOAD_AT_MOST_EVERY_MS - performance.now();
      await (wait > 0 ? sleep(wait) : reload());
    }
    return known.get(version);
  };

  return {
    /** Reads the secrets if this process has not read them yet, and makes the first. */
    async macsReady(): Promise<void> {
      if (known.size === 0) await reload();
    },
    /** A MAC under the newest secret. */
    async mac(kind: MacKind, fields: MacFields): Promise<Mac> {
      if (known.size === 0) await reload();
      const version = current();
      return { mac: macOf(known.get(version)!, kind, fields).toString('base64url'), version };
    },
    /** False if a field, the kind or the MAC was changed, or the secret no longer exists. The row was read before `readAt`. */
    async verifyMac(
      kind: MacKind,
      fields: MacFields,
      { mac, version }: Mac,
      readAt = performance.now(),
    ): Promise<boolean> {
      const secret = known.get(version) ?? (await secretOf(version, readAt));
      if (secret === undefined) return false;
      const given = Buffer.from(mac, 'base64url');
      return given.length === BYTES && timingSafeEqual(given, macOf(secret, kind, fields));
    },
    /** Makes the secret of a new version, unless it exists. */
    async addMacSecret(version: number): Promise<void> {
      await makeSecret(masterKeys, storeOf(db), version);
      await reload();
    },
    closeMacs: () => clearInterval(timer),
  };
}

function macOf({ secret, keys }: Secret, kind: MacKind, fields: MacFields): Buffer {
  let key = keys.get(kind);
  if (key === undefined) {
    key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', DERIVED_KEYS.mac + kind, BYTES)));
    keys.set(kind, key);
  }
  return createHmac('sha256', key)
    .update(JSON.stringify([kind, ...fields]))
    .digest();
}

/** Opens only what is new. A secret that cannot be opened is as one that does not exist. */
async function readSecrets(masterKeys: KeyService, db: SecretStore, known: ReadonlyMap<number, Secret>) {
  let rows = await db.many(macSecrets());
  if (rows.length === 0) {
    const { current } = await masterKeys.versions();
    rows = [await makeSecret(masterKeys, db, current)];
  }
  const read = new Map<number, Secret>();
  for (const { name, sealed } of rows) {
    const version = Number(/^mac ([1-9]\d{0,8})$/.exec(name)?.[1]);
    const before = known.get(version);
    const secret = before?.sealed === sealed ? before : await openSecret(masterKeys, name, sealed);
    if (!Number.isNaN(version) && secret !== undefined) read.set(version, secret);
  }
  if (read.size === 0) throw new SealBrokenError('None of the secrets for MACs can be decrypted.');
  return read;
}

async function openSecret(masterKeys: KeyService, name: string, sealed: string): Promise<Secret | undefined> {
  try {
    const text = await openWith(masterKeys, sealed, { use: SEAL_USES.secret, name });
    return { sealed, secret: createSecretKey(Buffer.from(text, 'base64url')), keys: new Map() };
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}

/** Reads the secret back after the insert, because another process may have been first. */
async function makeSecret(masterKeys: KeyService, db: SecretStore, version: number) {
  const name = `mac ${version}`;
  const context = { use: SEAL_USES.secret, name };
  const draft = await sealWith(masterKeys, randomBytes(BYTES).toString('base64url'), context);
  await db.run(insertSecret(name, draft.sealed));
  return { name, ...(await db.one(secretByName(name))) };
}

function storeOf(db: SecretStore | undefined): SecretStore {
  if (db === undefined) throw new Error('MACs need the database');
  return db;
}
