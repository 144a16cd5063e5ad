import { createWakeup } from '../background/wakeup.ts';
import type { Database } from './database.ts';

/** Wakes waiters in this process after payments and documents change, and after credentials are signed. */
export interface Changes {
  /** To miss no change, read the row after `watch` and before `next`. */
  watch(id: string): Promise<Watch>;
  close(): Promise<void>;
}

export interface Watch {
  /** Resolves at the first change since `watch` or the previous `next`, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>;
  stop(): void;
}

export function openChanges(db: Pick<Database, 'listener'>): Changes {
  const watchers = new Map<string, Set<() => void>>();
  const ear = db.listener('changed', (id) => {
    for (const tell of watchers.get(id) ?? []) tell();
  });

  return {
    async watch(id) {
      const wakeup = createWakeup();
      const those = watchers.get(id) ?? new Set();
      watchers.set(id, those.add(wakeup.notify));
      const stop = () => {
        those.delete(wakeup.notify);
        if (those.size === 0) watchers.delete(id);
      };
      await ear.listen().catch((error: unknown) => {
        stop();
        throw error;
      });
      return { next: wakeup.wait, stop };
    },
    close: () => ear.stop(),
  };
}
