export interface WrappedKey {
  version: number;
  wrapped: Uint8Array;
}

/** Oldest first. `current` wraps new content keys. */
export interface MasterKeyVersions {
  current: number;
  versions: readonly { version: number; created_at: string }[];
}

/** Errors never contain a key. Any call can throw DomainError `dependency-unavailable`. */
export interface KeyService {
  readonly kind: 'file' | 'transit';
  wrap(contentKey: Uint8Array): Promise<WrappedKey>;
  /** @throws SealBrokenError if the key was changed or wrapped elsewhere, or its version no longer exists. */
  unwrap(key: WrappedKey): Promise<Uint8Array>;
  /** Throws if the current version is below `atLeast`. A key that cannot be unwrapped gives undefined. */
  rewrap(keys: readonly WrappedKey[], atLeast: number): Promise<(WrappedKey | undefined)[]>;
  versions(): Promise<MasterKeyVersions>;
  /** Makes no new version if `from` is no longer current. @returns the current version. */
  rotate(from: number): Promise<number>;
  /** Retires `version` and older versions, except the current version. The service then unwraps none of their keys. */
  retire(version: number): Promise<void>;
  check(): Promise<void>;
}

/** The message never contains the record's content. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}
