import type { RequestHandler, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { DomainError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';
import type { Operation } from './contract.ts';

/** A slot for one request whose files are in memory. */
export interface UploadPlace {
  /** Waits for this request's turn to use the processor. Other requests are served between turns. */
  turn(): Promise<void>;
  /** Releases the slot and the turn, once the files are no longer needed. */
  leave(): void;
}

interface UploadPlaces {
  /**
   * Waits for a slot, and then until the body may be read. The slot is released on `leave`, after the response, or when
   * the caller disconnects.
   * @throws DomainError `dependency-unavailable` if no slot is free in time, or too many requests wait.
   */
  take(response: Pick<Response, 'once' | 'off'>): Promise<UploadPlace>;
}

const RETRY_AFTER_S = 5;

/**
 * Allows `most` slots. The same number of further requests may wait for a slot, for up to `waitMs`. One request at a
 * time has a turn, and turns start at least `apartMs` apart. The service starts to read a body at least `apartMs` after
 * it began the previous body, or earlier if that body's slot is released.
 */
export function createUploadPlaces({ most, waitMs, apartMs }: Config['api']['uploads']): UploadPlaces {
  const places = new PQueue({ concurrency: most });
  const bodies = new PQueue({ concurrency: 1 });
  const turns = new PQueue({ concurrency: 1 });
  const aWhile = () => sleep(apartMs, undefined, { ref: false });
  return {
    async take(response) {
      if (places.size >= most) throw noPlace();
      const left = Promise.withResolvers<undefined>();
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), waitMs);
      const leave = () => {
        response.off('close', leave);
        left.resolve(undefined);
        patience.abort();
      };
      response.once('close', leave);
      try {
        await started(places, () => left.promise, patience.signal);
      } catch {
        leave();
        throw noPlace();
      } finally {
        clearTimeout(timer);
      }
      await started(bodies, () => Promise.race([aWhile(), left.promise]));
      return { leave, turn: () => started(turns, () => Promise.all([left.promise, aWhile()])) };
    },
  };
}

/** Resolves when the queue starts the work. Rejects if the signal aborts first. */
function started(queue: PQueue, work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      resolve();
      return work();
    };
    queue.add(begin, signal && { signal }).catch(reject);
  });
}

/** Makes an upload wait for a slot before its body is read. @throws DomainError `dependency-unavailable`. */
export function takeUploadPlace({ form }: Operation, places: UploadPlaces): RequestHandler[] {
  if (form === undefined) return [];
  return [
    async (_request, response, next) => {
      response.locals.place = await places.take(response);
      next();
    },
  ];
}

/** Makes an upload wait for its turn before its handler runs. */
export function awaitUploadTurn({ form }: Operation): RequestHandler[] {
  if (form === undefined) return [];
  return [
    async (_request, response, next) => {
      await response.locals.place?.turn();
      next();
    },
  ];
}

function noPlace(): DomainError {
  const detail = 'The service is receiving too many files at once. Send the same request again in a moment.';
  return new DomainError('dependency-unavailable', detail, { dependency: 'memory', retry_after: RETRY_AFTER_S });
}
