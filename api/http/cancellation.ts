import type { Response } from 'express';

export type Cancellation = ReturnType<typeof createCancellation>;

/** Lets a request stop waiting (for example after `Prefer: wait`) when its caller disconnects or the service stops. */
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
    /** All waiting requests stop waiting and get a response immediately. Afterwards, no request waits. */
    stopWaiting() {
      letsWait = false;
      for (const controller of waiting) controller.abort();
    },
  };
}
