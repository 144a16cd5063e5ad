import { readConfig, type KeysConfig } from '../../infra/config/index.ts';

/** By default, every use of the keys reloads the file. */
export function fileKeys(masterKeyFile: string, reloadMs = 0): KeysConfig {
  const { keys } = readConfig({});
  return { ...keys, service: 'file', masterKeyFile, reloadMs };
}

export function transitKeys(transit: KeysConfig['transit']): KeysConfig {
  const { keys } = readConfig({});
  return { ...keys, service: 'transit', transit };
}

export interface StoredParts {
  key: { version: number; wrapped: string };
  content: { protected: string; iv: string; ciphertext: string; tag: string };
}

export function partsOf(sealed: string): StoredParts {
  return JSON.parse(sealed) as StoredParts;
}
