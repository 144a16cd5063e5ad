import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { KeysConfig, Config } from '../config.ts';
import type { Queries } from '../db/connection.ts';
import { insertSecret, secretByName } from '../db/statements/vault-keys.ts';
import { explainMissing } from '../db/schema-version.ts';
import { blindIndexer } from './blind-index.ts';
import { openFileService } from './file-service.ts';
import { openFileUnder, openUnder, openWith, sealFileUnder, sealUnder, sealWith, type SealContext } from './seal.ts';
import { readSealed, sealedText } from './sealed-text.ts';
import { SealBrokenError, type KeyService } from './service.ts';
import { SEAL_USES, type BlindIndex } from '../../domain/frozen-strings.ts';

export type { KeyService, MasterKeyVersion, MasterKeyVersions } from './service.ts';

/** Everything that is encrypted at rest or found again by a keyed index goes through here. */
export interface Keys {
  /**
   * Encrypts under a content key of its own (A256CBC-HS512), which the current master key wraps. What is kept for longer than
   * a day must stand in the list of `infra/db/statements/vault-keys.ts`, so that it is encrypted again when master keys rotate.
   * @returns the record, and the version of the master key that opens it.
   */
  seal(plaintext: string, context: SealContext): Promise<{ sealed: string; keyVersion: number }>;
  /**
   * @throws SealBrokenError when the record was changed, belongs to another context, or its master key is gone; DomainError
   * `dependency-unavailable` while the key service is away.
   */
  open(sealed: string, context: SealContext): Promise<string>;
  /**
   * Encrypts under the caller's secret, which has at least 256 random bits, such as a token. Only that secret opens it; the
   * master keys do not help.
   */
  sealUnder(secret: string, plaintext: string, context: SealContext): Promise<string>;
  /** @throws SealBrokenError when the secret is another, or the record was changed or belongs to another context. */
  openUnder(secret: string, sealed: string, context: SealContext): Promise<string>;
  /** As `sealUnder`, for files: in slices, so that others have their turn in between, and bytes for bytes. */
  sealFileUnder(secret: string, file: Uint8Array, context: SealContext): Promise<Buffer>;
  /** @throws SealBrokenError as `openUnder` does. */
  openFileUnder(secret: string, sealed: Uint8Array, context: SealContext): Promise<Uint8Array>;
  /** A keyed fingerprint, to find a value without storing it. Each kind of value has different fingerprints. */
  blindIndex(kind: BlindIndex, value: string): string;
  /**
   * Wraps the content keys of sealed records again, by the current master key, which is `atLeast` or later. The contents stay
   * byte for byte and are not opened. Text that is no sealed record, or does not open, gives undefined.
   */
  rewrap(sealed: readonly string[], atLeast: number): Promise<({ sealed: string; keyVersion: number } | undefined)[]>;
  /** Settles soon. @throws DomainError `dependency-unavailable` when nothing can be sealed or opened now. */
  check(): Promise<void>;
  readonly masterKeys: KeyService;
}

type Environment = Config['environment'];
type SecretStore = Pick<Queries, 'maybe' | 'one' | 'run'>;

/**
 * Opens the keys of this deployment. In the sandbox a missing master key file, or key of the Transit engine, is made; in
 * production it must be there. The Transit engine keeps no secret for blind indexes, so that one is sealed and in the database.
 * @throws ConfigError when the settings do not fit what is there, or the schema is too old; DomainError when the key service is away.
 */
export async function openKeys(config: KeysConfig, environment: Environment, db?: SecretStore): Promise<Keys> {
  const { masterKeys, indexSecret } = await openParts(config, environment, db);
  return {
    seal: (plaintext, context) => sealWith(masterKeys, plaintext, context),
    open: (sealed, context) => openWith(masterKeys, sealed, context),
    sealUnder,
    openUnder,
    sealFileUnder,
    openFileUnder,
    blindIndex: blindIndexer(indexSecret),
    rewrap: (sealed, atLeast) => rewrapAll(masterKeys, sealed, atLeast),
    check: () => masterKeys.check(),
    masterKeys,
  };
}

/** Only the master keys, for operators; nothing is made where it is missing. */
export async function openMasterKeys(config: KeysConfig): Promise<KeyService> {
  if (config.service === 'transit') return openTransit(config.transit, false);
  const { masterKeyFile: path, reloadMs } = config;
  return (await openFileService({ path, reloadMs, create: false })).service;
}

/** Who has key files does not load what asks an engine. */
async function openTransit(config: KeysConfig['transit'], create: boolean): Promise<KeyService> {
  const { openTransitService } = await import('./transit-service.ts');
  return openTransitService(config, { create });
}

async function openParts(config: KeysConfig, environment: Environment, db: SecretStore | undefined) {
  const create = environment === 'sandbox';
  if (config.service === 'file') {
    const { masterKeyFile: path, reloadMs } = config;
    const { service, indexSecret } = await openFileService({ path, reloadMs, create });
    return { masterKeys: service, indexSecret };
  }
  if (db === undefined) throw new Error('keys of a Transit engine need the database');
  const masterKeys = await openTransit(config.transit, create);
  // This comes before anything else looks at the schema.
  const indexSecret = await sharedSecret(masterKeys, db, 'blind index').catch((error: unknown) =>
    explainMissing(error, { db }),
  );
  return { masterKeys, indexSecret };
}

/** A secret that all processes on a database share. The first that needs it makes it and seals it there. */
async function sharedSecret(masterKeys: KeyService, db: SecretStore, name: string): Promise<KeyObject> {
  const context = { use: SEAL_USES.secret, name };
  const make = async () => {
    const draft = await sealWith(masterKeys, randomBytes(32).toString('base64url'), context);
    await db.run(insertSecret(name, draft.sealed));
    return db.one(secretByName(name));
  };
  const { sealed } = (await db.maybe(secretByName(name))) ?? (await make());
  return createSecretKey(Buffer.from(await openWith(masterKeys, sealed, context), 'base64url'));
}

async function rewrapAll(masterKeys: KeyService, texts: readonly string[], atLeast: number) {
  const records = texts.map(readIfSealed);
  const readable = records.filter((record) => record !== undefined);
  const wrapped = await masterKeys.rewrap(
    readable.map(({ key }) => key),
    atLeast,
  );
  const keyOf = new Map(readable.map((record, place) => [record, wrapped[place]]));
  return records.map((record) => {
    const key = record && keyOf.get(record);
    return key && { sealed: sealedText({ ...record, key }), keyVersion: key.version };
  });
}

function readIfSealed(text: string) {
  try {
    return readSealed(text);
  } catch (error) {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  }
}
