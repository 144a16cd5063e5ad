import { createWakeup, type Wakeup } from './wakeup.ts';
import type { Log } from '../log.ts';

/** Work that a process repeats in the background until `stop`. */
export interface BackgroundTask {
  /** Waits for the current round to finish, and starts no new round. */
  stop(): Promise<void>;
}

/**
 * Repeats `round` with pauses of `restMs`. `wake` ends a pause early. Retries a round that throws, and logs the first
 * of several failures in a row.
 */
export function startBackgroundTask(
  options: { name: string; log: Log; restMs: number; wake?: Wakeup },
  round: () => Promise<void>,
): BackgroundTask {
  const wakeup = options.wake ?? createWakeup();
  let stopped = false;
  let quiet = false;
  const run = async () => {
    while (!stopped) {
      try {
        await round();
        quiet = false;
      } catch (error) {
        if (!quiet)
          options.log.warn({ loop: options.name, reason: String(error) }, 'a background task failed; trying again');
        quiet = true;
      }
      if (!stopped) await wakeup.wait(options.restMs);
    }
  };
  const running = run();
  return {
    async stop() {
      stopped = true;
      wakeup.notify();
      await running;
    },
  };
}
