/** Wakes somebody who waits: a relay when the outbox was written to, a watcher when a row changed. No ring is lost. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring since the last call, or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void>;
}

/** A bell that nobody has rung yet. */
export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(timeoutMs) {
      if (!rung && timeoutMs > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      rung = false;
    },
  };
}
