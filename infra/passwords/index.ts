import { hash, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { DomainError } from '../../domain/errors.ts';
import type { Config } from '../config/index.ts';

export type Passwords = ReturnType<typeof createPasswords>;

/** OWASP's recommendation for Argon2id: 19 MiB, two passes, one lane. `2` is Argon2id; the enum has no run-time value. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Limits hashes, so that sign-ins cannot exhaust memory. Refuses with DomainError `dependency-unavailable`. */
export function createPasswords({ concurrentHashes, queuedHashes }: Config['passwords']) {
  const queue = new PQueue({ concurrency: concurrentHashes });
  const queued = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= queuedHashes && queue.pending >= concurrentHashes) throw tooBusy();
    return queue.add(work);
  };
  // Makes the hash at start, so that the first `verifyDummy` is not slower than later ones.
  const dummy = hash(crypto.randomUUID(), COST);
  return {
    /** @returns the hash in PHC format, with salt and cost. */
    hash: (password: string) => queued(() => hash(canonical(password), COST)),
    verify: (hashed: string, password: string) => queued(() => verify(hashed, canonical(password))),
    /** Takes as long as `verify` and returns false, so that response times do not reveal which accounts exist. */
    async verifyDummy(password: string) {
      const hashed = await dummy;
      await queued(() => verify(hashed, canonical(password)));
      return false;
    },
  };
}

/** Systems encode the same characters differently (NIST SP 800-63B, 3.1.1.2). */
function canonical(password: string): string {
  return password.normalize('NFKC');
}

function tooBusy(): DomainError {
  return new DomainError(
    'dependency-unavailable',
    'Too many people are signing in at the moment. Try again in a few seconds.',
    { dependency: 'passwords' },
  );
}
