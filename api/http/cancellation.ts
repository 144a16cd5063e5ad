import type { Response } from 'express';

/** Tells those who wait for something to change that they need not any longer. */
export interface Cancellation {
  /** Aborted when the caller goes away before there is an answer, or `stopWaiting` is called. */
  signalFor(response: Response): AbortSignal;
  /** Lets go of those who wait, and of those who will: they are answered with what is now. */
  stopWaiting(): void;
}

export function createCancellation(): Cancellation {
  const waiting = new Set<AbortController>();
  let letsWait = true;
  return {
    signalFor(response) {
      if (!letsWait) return AbortSignal.abort();
      const controller = new AbortController();
      waiting.add(controller);
      response.once('close', () => {
        waiting.delete(controller);
        if (!response.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    stopWaiting() {
      letsWait = false;
      for (const controller of waiting) controller.abort();
    },
  };
}
