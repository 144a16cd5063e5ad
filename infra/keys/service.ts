/** A content key, wrapped by one version of the master key. */
export interface WrappedKey {
  version: number;
  wrapped: Uint8Array;
}

/** A version of the master key that still opens what it wrapped. */
export interface MasterKeyVersion {
  version: number;
  created_at: string;
}

/** Oldest first; `current` is the one that wraps. */
export interface MasterKeyVersions {
  current: number;
  versions: readonly MasterKeyVersion[];
}

/**
 * Where the master keys are: they wrap and unwrap content keys and never leave. Every call may be refused with a DomainError
 * `dependency-unavailable`, `dependency` being `key service`; no error ever holds a key.
 */
export interface KeyService {
  readonly kind: 'file' | 'transit';
  /** Wraps by the current version. */
  wrap(contentKey: Uint8Array): Promise<WrappedKey>;
  /** @throws SealBrokenError when it was not wrapped like this, or its version is gone. */
  unwrap(key: WrappedKey): Promise<Uint8Array>;
  /**
   * Wraps again by the current version, which is `atLeast` or later. A process that does not know that version yet reads it
   * first. A key that does not unwrap gives undefined.
   */
  rewrap(keys: readonly WrappedKey[], atLeast: number): Promise<(WrappedKey | undefined)[]>;
  /** What there is now, looked up afresh. */
  versions(): Promise<MasterKeyVersions>;
  /**
   * Makes a new version and makes it current, unless `from` is current no more: then that was done before.
   * @returns the version that is current now.
   */
  rotate(from: number): Promise<number>;
  /** Ends this version and all before it: what they wrapped opens no more. The current one stays, whatever is asked. */
  retire(version: number): Promise<void>;
  /** Settles soon: whether keys can be wrapped and unwrapped now. */
  check(): Promise<void>;
}

/** Something sealed that does not open here. The message never tells what was in it. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}
