import type { Response } from 'express';

export type Cancellation = ReturnType<typeof createCancellation>;

/** Tells those who wait for something to change that they need not any longer. */
export function createCancellation() {
  const waiting = new Set<AbortController>();
  let letsWait = true;
  return {
    /** Aborted when the caller goes away before there is an answer, or `stopWaiting` is called. */
    signalFor(response: Response): AbortSignal {
      if (!letsWait) return AbortSignal.abort();
      const controller = new AbortController();
      waiting.add(controller);
      response.once('close', () => {
        waiting.delete(controller);
        if (!response.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    /** Lets go of those who wait, and of those who will: they are answered with what is now. */
    stopWaiting() {
      letsWait = false;
      for (const controller of waiting) controller.abort();
    },
  };
}
