import type { Response } from 'express';
import { removeFrom } from './open-list.ts';

export function createCancellation() {
  const waiting: AbortController[] = [];
  let isStopping = false;
  return {
    isStopping: () => isStopping,
    /** Aborts if the caller disconnects before the response, or on `stop`. */
    signalFor(response: Response): AbortSignal {
      if (isStopping) return AbortSignal.abort();
      const controller = new AbortController();
      waiting.push(controller);
      response.once('close', () => {
        removeFrom(waiting, controller);
        if (!response.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    /** Requests that wait get a response at once. Later requests do not wait. */
    stop() {
      isStopping = true;
      for (const controller of [...waiting]) controller.abort();
    },
  };
}
