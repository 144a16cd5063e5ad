export interface WrappedKey {
  version: number;
  wrapped: Uint8Array;
}

/** A master key version that can still unwrap content keys. */
export interface MasterKeyVersion {
  version: number;
  created_at: string;
}

/** Versions are oldest first. `current` is the version that wraps new content keys. */
export interface MasterKeyVersions {
  current: number;
  versions: readonly MasterKeyVersion[];
}

/**
 * Wraps and unwraps content keys. Errors never contain a key. Any call can throw a DomainError `dependency-unavailable`
 * with `dependency` set to `key service`.
 */
export interface KeyService {
  readonly kind: 'file' | 'transit';
  wrap(contentKey: Uint8Array): Promise<WrappedKey>;
  /**
   * Unwraps a content key.
   * @throws SealBrokenError if this service did not wrap the key, the key was changed, or its version no longer exists.
   */
  unwrap(key: WrappedKey): Promise<Uint8Array>;
  /**
   * Re-wraps keys with the current version of the master key. Throws if this version is below `atLeast`. Returns
   * undefined for a key that cannot be unwrapped.
   */
  rewrap(keys: readonly WrappedKey[], atLeast: number): Promise<(WrappedKey | undefined)[]>;
  /** Reads the versions anew, without a cache. */
  versions(): Promise<MasterKeyVersions>;
  /** Creates a new current version, unless `from` is no longer current. @returns the current version. */
  rotate(from: number): Promise<number>;
  /**
   * Retires all versions up to and including `version`, except the current one. The service no longer unwraps keys that
   * these versions wrapped.
   */
  retire(version: number): Promise<void>;
  /** Checks that the key service can be used. @throws DomainError `dependency-unavailable` if it cannot. */
  check(): Promise<void>;
}

/** A sealed record cannot be decrypted. The message never contains the record's content. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}
