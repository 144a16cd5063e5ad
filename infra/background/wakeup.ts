import { setTimeout as sleep } from 'node:timers/promises';

export type Wakeup = ReturnType<typeof createWakeup>;

export function createWakeup() {
  let pause = new AbortController();
  return {
    /** Ends the current wait. If nobody waits, the next wait ends at once. */
    notify: () => pause.abort(),
    async wait(timeoutMs: number): Promise<void> {
      await sleep(timeoutMs, undefined, { signal: pause.signal }).catch(() => undefined);
      pause = new AbortController();
    },
  };
}
