import type { Response } from 'express';

export type Cancellation = ReturnType<typeof createCancellation>;

/** Ends the waiting of requests (such as `Prefer: wait`) when their caller disconnects or the service stops. */
export function createCancellation() {
  const waiting = new Set<AbortController>();
  let letsWait = true;
  return {
    /** A signal that aborts if the caller disconnects before the response, or on `stopWaiting`. */
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
    /** Answers all waiting requests at once, with the present state. From now on, no request waits. */
    stopWaiting() {
      letsWait = false;
      for (const controller of waiting) controller.abort();
    },
  };
}
