import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { KeysConfig, Config } from '../config/index.ts';
import type { Queries } from '../db/connection.ts';
import { insertSecret, secretByName } from '../db/queries/vault-keys.ts';
import { explainMissing } from '../db/schema-version.ts';
import { blindIndexer } from './blind-index.ts';
import { openFileService } from './file-service.ts';
import { openMacs } from './macs.ts';
import { openWith, sealWith, type SealContext } from './seal.ts';
import { readSealed, sealedText } from './sealed-text.ts';
import { SealBrokenError, type KeyService } from './service.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

export type Keys = Awaited<ReturnType<typeof openKeys>>;

type Environment = Config['environment'];
type SecretStore = Pick<Queries, 'many' | 'maybe' | 'one' | 'run'>;

/** Creates a missing master key only in the sandbox. MACs, and keyed hashes with Transit, need `db`. */
export async function openKeys(config: KeysConfig, environment: Environment, db?: SecretStore) {
  const { service: masterKeys, indexSecret } = await openService(config, environment === 'sandbox');
  return {
    /** Add each table that keeps the result for over a day to `SEALED_TABLES`, so that rotation finds the table. */
    seal: (plaintext: string, context: SealContext) => sealWith(masterKeys, plaintext, context),
    /** @throws SealBrokenError if the record was changed or belongs to another context, or its master key is gone. */
    open: (sealed: string, context: SealContext) => openWith(masterKeys, sealed, context),
    /** A keyed hash, for finding a value without storing the value. Each kind has a different key. */
    blindIndex: blindIndexer(indexSecret ?? (await sharedSecret(masterKeys, db))),
    /** Re-wraps content keys with the current master key. The result is undefined for text that cannot be unwrapped. */
    rewrap: (sealed: readonly string[], atLeast: number) => rewrapAll(masterKeys, sealed, atLeast),
    ...openMacs(masterKeys, db, config.reloadMs),
    check: () => masterKeys.check(),
    masterKeys,
  };
}

/** Never creates a missing key. */
export async function openMasterKeys(config: KeysConfig): Promise<KeyService> {
  return (await openService(config, false)).service;
}

async function openService(
  { service, masterKeyFile: path, reloadMs, transit }: KeysConfig,
  create: boolean,
): Promise<{ service: KeyService; indexSecret?: KeyObject }> {
  if (service === 'file') return openFileService({ path, reloadMs, create });
  const { openTransitService } = await import('./transit-service.ts');
  return { service: await openTransitService(transit, { create }) };
}

/** Reads the secret back after the insert, because another process may have been first. */
async function sharedSecret(masterKeys: KeyService, db: SecretStore | undefined): Promise<KeyObject> {
  if (db === undefined) throw new Error('keys of a Transit engine need the database');
  const name = 'blind index';
  const context = { use: SEAL_USES.secret, name };
  const make = async () => {
    const draft = await sealWith(masterKeys, randomBytes(32).toString('base64url'), context);
    await db.run(insertSecret(name, draft.sealed));
    return db.one(secretByName(name));
  };
  // The first query at start, so a missing schema causes an error here.
  const found = await db.maybe(secretByName(name)).catch((error: unknown) => explainMissing(error, { db }));
  const { sealed } = found ?? (await make());
  return createSecretKey(Buffer.from(await openWith(masterKeys, sealed, context), 'base64url'));
}

async function rewrapAll(masterKeys: KeyService, texts: readonly string[], atLeast: number) {
  const records = texts.map(readIfSealed);
  const readable = records.filter((record) => record !== undefined);
  const wrapped = await masterKeys.rewrap(
    readable.map(({ key }) => key),
    atLeast,
  );
  const keyOf = new Map(readable.map((record, index) => [record, wrapped[index]]));
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
