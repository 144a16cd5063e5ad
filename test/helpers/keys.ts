import { readConfig, type KeysConfig } from '../../infra/config.ts';

/** Settings of a master key file at this path, reloaded at every use unless another interval is given. */
export function fileKeys(masterKeyFile: string, reloadMs = 0): KeysConfig {
  const { keys } = readConfig({});
  return { ...keys, service: 'file', masterKeyFile, reloadMs };
}

/** Settings of this Transit engine. */
export function transitKeys(transit: KeysConfig['transit']): KeysConfig {
  const { keys } = readConfig({});
  return { ...keys, service: 'transit', transit };
}

/** The parts of a sealed record, as stored. */
export interface StoredParts {
  key: { version: number; wrapped: string };
  content: { protected: string; iv: string; ciphertext: string; tag: string };
}

export function partsOf(sealed: string): StoredParts {
  return JSON.parse(sealed) as StoredParts;
}
