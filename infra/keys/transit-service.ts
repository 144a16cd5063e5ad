import * as z from 'zod';
import type { KeysConfig } from '../config/index.ts';
import { ConfigError } from '../config/settings.ts';
import { SealBrokenError, type KeyService, type MasterKeyVersions, type WrappedKey } from './service.ts';
import { transitClient, TransitRefusal, unavailable, type AskTransit } from './transit-client.ts';

/** From `GET transit/keys/:name`. `keys` holds creation times in Unix seconds. */
const keyInfoSchema = z.object({
  latest_version: z.int(),
  min_decryption_version: z.int(),
  keys: z.record(z.string(), z.number()),
  derived: z.boolean(),
  supports_encryption: z.boolean(),
  supports_decryption: z.boolean(),
});
type KeyInfo = z.output<typeof keyInfoSchema>;

/** OpenBao accepts at most a thousand strings in a request, field names included. */
const BATCH = 100;

/** Retiring sets `min_decryption_version`. An operator can then destroy the versions with Transit's `trim`. */
export async function openTransitService(
  config: KeysConfig['transit'],
  { create }: { create: boolean },
): Promise<KeyService> {
  const ask = await transitClient(config);
  const { key: name } = config;
  await requireKey(ask, name, create);

  const info = async () => keyInfo(await ask('GET', ['keys', name]));
  return {
    kind: 'transit',
    async wrap(contentKey) {
      const plaintext = Buffer.from(contentKey).toString('base64');
      const data = await ask('POST', ['encrypt', name], { plaintext }).catch(refusedByFault);
      return wrappedKey(data?.ciphertext);
    },
    async unwrap(key) {
      const data = await ask('POST', ['decrypt', name], { ciphertext: ciphertextOf(key) }).catch(refusedSeal);
      if (typeof data?.plaintext !== 'string')
        throw unavailable('its response is not the response of a Transit engine');
      return new Uint8Array(Buffer.from(data.plaintext, 'base64'));
    },
    async rewrap(keys, atLeast) {
      const anew: (WrappedKey | undefined)[] = [];
      for (let from = 0; from < keys.length; from += BATCH) {
        const batch = keys.slice(from, from + BATCH);
        const batch_input = batch.map((key) => ({ ciphertext: ciphertextOf(key) }));
        const data = await ask('POST', ['rewrap', name], { batch_input }).catch(refusedByFault);
        anew.push(...rewrapped(data?.batch_results, batch.length, atLeast));
      }
      return anew;
    },
    versions: async () => versionsOf(await info()),
    async rotate(from) {
      const { latest_version: latest } = await info();
      if (latest !== from) return latest;
      await ask('POST', ['keys', name, 'rotate']).catch(refusedByFault);
      return (await info()).latest_version;
    },
    async retire(version) {
      const { latest_version, min_decryption_version } = await info();
      const least = Math.min(version + 1, latest_version);
      if (least <= min_decryption_version) return;
      await ask('POST', ['keys', name, 'config'], { min_decryption_version: least }).catch(refusedByFault);
    },
    async check() {
      await info();
    },
  };
}

/** `create` is never set in production, where a mistyped name must not create a key. */
async function requireKey(ask: AskTransit, name: string, create: boolean): Promise<void> {
  const read = () => ask('GET', ['keys', name]);
  const found = await read().catch(async (error: unknown) => {
    if (!(error instanceof TransitRefusal)) throw error;
    if (create) {
      await ask('POST', ['keys', name], { type: 'aes256-gcm96' }).catch(refusedByFault);
      return read();
    }
    throw new ConfigError(
      `TRANSIT_KEY names ${name}, which is not in the Transit engine at TRANSIT_MOUNT. Create the key there, or correct TRANSIT_KEY.`,
    );
  });
  const { derived, supports_encryption, supports_decryption } = keyInfo(found);
  if (!derived && supports_encryption && supports_decryption) return;
  throw new ConfigError(
    `TRANSIT_KEY names ${name}, which cannot encrypt keys. The key must support encryption and decryption, as the type aes256-gcm96 does, and must not be derived.`,
  );
}

function keyInfo(data: unknown): KeyInfo {
  const { success, data: info } = keyInfoSchema.safeParse(data);
  if (!success) throw unavailable('its response is not the response of a Transit engine');
  return info;
}

function versionsOf({ latest_version, min_decryption_version, keys }: KeyInfo): MasterKeyVersions {
  const versions = Object.entries(keys)
    .map(([version, madeAt]) => ({ version: Number(version), created_at: new Date(madeAt * 1_000).toISOString() }))
    .filter(({ version }) => version >= min_decryption_version)
    .sort((a, b) => a.version - b.version);
  return { current: latest_version, versions };
}

function rewrapped(results: unknown, count: number, atLeast: number): (WrappedKey | undefined)[] {
  if (!Array.isArray(results) || results.length !== count)
    throw unavailable('its response is not the response of a Transit engine');
  return results.map(({ ciphertext }: { ciphertext?: unknown }) => {
    if (ciphertext === undefined || ciphertext === '') return undefined;
    const key = wrappedKey(ciphertext);
    if (key.version < atLeast) throw unavailable(`it does not have version ${atLeast} yet`);
    return key;
  });
}

/** Vault and OpenBao both return `vault:vN:BASE64`. */
function wrappedKey(ciphertext: unknown): WrappedKey {
  const [, version, encoded] = /^vault:v([1-9]\d{0,8}):([\w+/]+={0,2})$/.exec(String(ciphertext)) ?? [];
  if (version === undefined || encoded === undefined)
    throw unavailable('its response is not the response of a Transit engine');
  return { version: Number(version), wrapped: Buffer.from(encoded, 'base64') };
}

function ciphertextOf({ version, wrapped }: WrappedKey): string {
  return `vault:v${version}:${Buffer.from(wrapped).toString('base64')}`;
}

function refusedSeal(error: unknown): never {
  if (!(error instanceof TransitRefusal) || error.noKey) return refusedByFault(error);
  throw new SealBrokenError(
    'An encrypted record was changed, was copied from a different record, or names a master key that does not exist.',
  );
}

/** A rejection is a fault of the engine or its key, not of stored data. */
function refusedByFault(error: unknown): never {
  throw error instanceof TransitRefusal ? unavailable(`it responds with ${error.status}`) : error;
}
