import type { Response } from 'express';

export function createCancellation() {
  const waiting = new Set<AbortController>();
  let isStopping = false;
  return {
    isStopping: () => isStopping,
    /** Aborts if the caller disconnects before the response, or on `stop`. */
    signalFor(response: Response): AbortSignal {
      if (isStopping) return AbortSignal.abort();
      const controller = new AbortController();
      waiting.add(controller);
      response.once('close', () => {
        waiting.delete(controller);
        if (!response.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    /** Requests that wait get a response at once. Later requests do not wait. */
    stop() {
      isStopping = true;
      for (const controller of waiting) controller.abort();
    },
  };
}
