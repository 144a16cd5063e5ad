import { hash, verify } from '@node-rs/argon2';
import { DomainError } from '../../domain/errors.ts';
import type { Config } from '../config.ts';

/** Hashes passwords with Argon2id, a few at a time, in the thread pool. */
export interface Passwords {
  /** @returns the hash in PHC form, including salt and cost. */
  hash(password: string): Promise<string>;
  verify(hashed: string, password: string): Promise<boolean>;
  /** Takes as long as a verification and answers false: for an account that does not exist. */
  verifyDummy(password: string): Promise<false>;
}

/** The OWASP recommendation for Argon2id: 19 MiB, two passes, one lane. `2` is Argon2id; its enum has no value at run time. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * @returns hashing that runs at most `concurrentHashes` at once and queues at most `queuedHashes`. Further ones are
 * refused with DomainError `dependency-unavailable`, so that a flood of sign-ins costs neither memory nor everybody's
 * time.
 */
export function createPasswords(config: Config['passwords']): Passwords {
  const inTurn = boundedQueue(config);
  // A random password's hash. Made at the start, so that its first use takes no longer than any other.
  const dummy = hash(crypto.randomUUID(), COST);
  return {
    hash: (password) => inTurn(() => hash(canonical(password), COST)),
    verify: (hashed, password) => inTurn(() => verify(hashed, canonical(password))),
    async verifyDummy(password) {
      const hashed = await dummy;
      await inTurn(() => verify(hashed, canonical(password)));
      return false;
    },
  };
}

/** The same characters typed on another system may arrive in another Unicode form (NIST SP 800-63B, 3.1.1.2). */
function canonical(password: string): string {
  return password.normalize('NFKC');
}

function boundedQueue({ concurrentHashes, queuedHashes }: Config['passwords']) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrentHashes) {
      if (waiting.length >= queuedHashes) throw tooBusy();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The place goes straight to the next in the queue.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

function tooBusy(): DomainError {
  return new DomainError(
    'dependency-unavailable',
    'Too many people are signing in at the moment. Try again in a few seconds.',
    {
      dependency: 'passwords',
    },
  );
}
