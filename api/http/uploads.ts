import type { RequestHandler, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { DomainError } from '../../domain/errors.ts';
import type { Config } from '../../infra/config.ts';
import type { Operation } from './contract.ts';

/** A place of one request whose files are held in memory. */
export interface UploadPlace {
  /** Waits for its turn at the processor. There is one turn, so that other requests are served in between. */
  turn(): Promise<void>;
  /** Gives place and turn back, since nothing of the files is needed any more. */
  leave(): void;
}

/** Places for requests whose files are held in memory. */
export interface UploadPlaces {
  /**
   * Waits for a place, which is given back when the answer is out or the caller gone, or before. Until then nothing of the body is
   * read, and bodies begin one after the other.
   * @throws DomainError `dependency-unavailable` when none is free in time, or too many wait already.
   */
  take(response: Pick<Response, 'once' | 'off'>): Promise<UploadPlace>;
}

const RETRY_AFTER_S = 5;

/**
 * `most` at once; as many again may wait for `waitMs`. Bodies and turns begin `apartMs` after each other at the earliest, bodies sooner
 * where the one before is done with or its caller gone.
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

/** Resolves when the work begins; rejects where the signal is aborted before. */
function started(queue: PQueue, work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      resolve();
      return work();
    };
    queue.add(begin, signal && { signal }).catch(reject);
  });
}

/** Lets a request with files wait for its place before its body is read. @throws DomainError `dependency-unavailable`. */
export function takeUploadPlace({ form }: Operation, places: UploadPlaces): RequestHandler[] {
  if (form === undefined) return [];
  return [
    async (_request, response, next) => {
      response.locals.place = await places.take(response);
      next();
    },
  ];
}

/** Lets a request with files wait for its turn before its handler is called. */
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
