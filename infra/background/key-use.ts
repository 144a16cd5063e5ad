import { noteKeysUsed } from '../db/statements/auth.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 30_000;

/** Collects which API keys were used, so that no request has to write it. */
export interface KeyUse {
  /** Notes that the key was used. */
  note(keyId: string): void;
  /** Takes the keys whose use must be written: each at most once an hour. */
  take(): string[];
  /** Returns keys that could not be written. */
  putBack(keyIds: readonly string[]): void;
}

/** @param now in milliseconds, from a monotonic clock. */
export function createKeyUse(now: () => number = () => performance.now()): KeyUse {
  const taken = new Map<string, number>();
  const due = new Set<string>();
  return {
    note(keyId) {
      const at = taken.get(keyId);
      if (at === undefined || now() - at >= HOUR_MS) due.add(keyId);
    },
    take() {
      const keyIds = [...due];
      due.clear();
      for (const keyId of keyIds) taken.set(keyId, now());
      return keyIds;
    },
    putBack(keyIds) {
      for (const keyId of keyIds) due.add(keyId);
    },
  };
}

type Needs = Pick<Services, 'db' | 'keyUse' | 'log'>;

/** Writes which keys were used, every half minute and on stop. Keeps what it could not write for the next round. */
export function startKeyUse(services: Needs, restMs = WRITE_EVERY_MS): BackgroundTask {
  const round = () => writeKeyUse(services);
  const task = startBackgroundTask({ name: 'key use', log: services.log, restMs }, round);
  return {
    async stop() {
      await task.stop();
      await round().catch(() => undefined);
    },
  };
}

async function writeKeyUse({ db, keyUse }: Needs): Promise<void> {
  const keyIds = keyUse.take();
  if (keyIds.length === 0) return;
  try {
    await db.run(noteKeysUsed(keyIds));
  } catch (error) {
    keyUse.putBack(keyIds);
    throw error;
  }
}
