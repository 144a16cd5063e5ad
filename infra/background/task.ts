import { createWakeup, type Wakeup } from './wakeup.ts';
import type { Log } from '../telemetry/log.ts';

export interface BackgroundTask {
  /** Starts no new round, and resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** Pauses for `pauseMs` between rounds, unless `wake` ends the pause. Logs the first of several failures in a row. */
export function startBackgroundTask(
  options: { name: string; log: Log; pauseMs: number | (() => number); wake?: Wakeup },
  round: () => Promise<unknown>,
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
      if (!stopped) await wakeup.wait(typeof options.pauseMs === 'number' ? options.pauseMs : options.pauseMs());
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
