import { createWakeup } from '../background/wakeup.ts';
import type { Database } from './database.ts';

export type Changes = ReturnType<typeof openChanges>;

/** Wakes waiters in this process after payments, documents and restores change, and after credentials are signed. */
export function openChanges(db: Pick<Database, 'listener'>) {
  const watchers = new Map<string, Set<() => void>>();
  const listener = db.listener('changed', (id) => {
    for (const notify of watchers.get(id) ?? []) notify();
  });

  /** @returns what ends it. */
  const tell = async (id: string, notify: () => void) => {
    const those = watchers.get(id) ?? new Set();
    watchers.set(id, those.add(notify));
    const stop = () => {
      those.delete(notify);
      if (those.size === 0) watchers.delete(id);
    };
    await listener.listen().catch((error: unknown) => {
      stop();
      throw error;
    });
    return stop;
  };

  return {
    tell,
    /** To miss no change, read the row after `watch` and before `next`. */
    async watch(id: string) {
      const wakeup = createWakeup();
      const stop = await tell(id, wakeup.notify);
      /** Resolves at the first change since `watch` or the previous `next`, or after the timeout. */
      return { next: wakeup.wait, stop };
    },
    close: listener.stop,
  };
}
