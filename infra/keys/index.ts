import type { Config } from '../config.ts';
import { blindIndexer } from './blind-index.ts';
import { loadMasterKeys } from './master-keys.ts';
import { openUnder, openWith, sealUnder, sealWith, type SealContext } from './seal.ts';

/** Everything that is encrypted at rest or found again by a keyed index goes through here. */
export interface Keys {
  /**
   * Encrypts under a content key of its own, which the current master key wraps (JWE, A256KW and A256CBC-HS512).
   * @returns the record, and the version of the master key that opens it.
   */
  seal(plaintext: string, context: SealContext): Promise<{ sealed: string; keyVersion: number }>;
  /** @throws SealBrokenError when the record was changed, belongs to another context, or its master key is gone. */
  open(sealed: string, context: SealContext): Promise<string>;
  /**
   * Encrypts under a secret of the caller's of at least 256 random bits, as a token is: what is stored opens only
   * while somebody presents that secret, and the master keys do not help.
   */
  sealUnder(secret: string, plaintext: string, context: SealContext): Promise<string>;
  /** @throws SealBrokenError when the secret is another, or the record was changed or belongs to another context. */
  openUnder(secret: string, sealed: string, context: SealContext): Promise<string>;
  /** A keyed fingerprint of a value, to find it again without storing it; another one for each kind. */
  blindIndex(kind: string, value: string): string;
}

/**
 * Opens the keys of this deployment. In the sandbox a missing master key file is made; in production it must be there.
 * @throws ConfigError when the file is missing, open to others, or not a master key file.
 */
export async function openKeys(config: Config['keys'], environment: Config['environment']): Promise<Keys> {
  const masterKeys = await loadMasterKeys(config.masterKeyFile, { create: environment === 'sandbox' });
  return {
    seal: (plaintext, context) => sealWith(masterKeys, plaintext, context),
    open: (sealed, context) => openWith(masterKeys, sealed, context),
    sealUnder,
    openUnder,
    blindIndex: blindIndexer(masterKeys.indexSecret),
  };
}
