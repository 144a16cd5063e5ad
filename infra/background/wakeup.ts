/** Ends a pause of a background task early, for example when a new outbox message is stored. */
export interface Wakeup {
  /** Ends the current wait. If nobody waits, the next wait ends at once. */
  notify(): void;
  /** Resolves after `timeoutMs`, or as soon as `notify` has been called since the last wait. */
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
