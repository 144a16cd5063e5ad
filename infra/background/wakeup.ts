/**
 * Ends the pause of a background task early: the relay's after a write to the outbox, a watcher's after a change of its
 * row.
 */
export interface Wakeup {
  /** Ends the current wait, or else the next one at once. */
  notify(): void;
  /** Resolves once `notify` has been called since the last wait, or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void>;
}

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
