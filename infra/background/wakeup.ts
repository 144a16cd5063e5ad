/** Ends the rest of a background task early: the relay's when the outbox was written to, a watcher's when a row changed. */
export interface Wakeup {
  /** Ends the wait that is under way, or else the next one at once. */
  notify(): void;
  /** Resolves when `notify` was called since the last wait, or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void>;
}

/** A wakeup that nobody has notified yet. */
export function createWakeup(): Wakeup {
  let notified = false;
  let resume: (() => void) | undefined;
  return {
    notify() {
      notified = true;
      resume?.();
    },
    async wait(timeoutMs) {
      if (!notified && timeoutMs > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      resume = undefined;
      notified = false;
    },
  };
}
