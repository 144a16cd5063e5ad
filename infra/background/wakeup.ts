export interface Wakeup {
  /** Ends the current wait. If nobody waits, the next wait ends at once. */
  notify(): void;
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
