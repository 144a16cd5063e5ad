import { HOUR_MS } from '../../domain/dates.ts';
import { noteKeysUsed } from '../db/statements/auth.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const WRITE_EVERY_MS = 30_000;

/** Collects the ids of used API keys in memory, so that requests need no database write. */
export interface KeyUse {
  note(keyId: string): void;
  /** Removes and returns the collected ids. `note` then ignores a returned id for an hour. */
  take(): string[];
  putBack(keyIds: readonly string[]): void;
}

/** `now` is a monotonic clock in milliseconds. */
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
