import type { RequestHandler, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { DomainError } from '../../../domain/errors.ts';
import type { Config } from '../../../infra/config/index.ts';
import type { Operation } from '../contract.ts';

export interface UploadSlot {
  /** Waits until this request may use the processor. */
  start(): Promise<void>;
  /** Releases the slot and the processor. */
  leave(): void;
}

type UploadSlots = ReturnType<typeof createUploadSlots>;

const RETRY_AFTER_S = 5;

/**
 * Allows `most` slots. As many further requests may wait for a slot, for up to `waitMs`. One request at a time uses
 * the processor, and these starts are at least `apartMs` apart. The next body is read after `apartMs`, or once the
 * previous body's slot is released.
 */
export function createUploadSlots({ most, waitMs, apartMs }: Config['api']['uploads']) {
  const slots = new PQueue({ concurrency: most });
  const bodies = new PQueue({ concurrency: 1 });
  const starts = new PQueue({ concurrency: 1 });
  const aWhile = () => sleep(apartMs, undefined, { ref: false });
  return {
    /** The slot is released on `leave`, after the response, or when the caller disconnects. */
    async take(response: Pick<Response, 'once' | 'off'>): Promise<UploadSlot> {
      if (slots.size >= most) throw noSlot();
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
        await started(slots, () => left.promise, patience.signal);
      } catch {
        leave();
        throw noSlot();
      } finally {
        clearTimeout(timer);
      }
      await started(bodies, () => Promise.race([aWhile(), left.promise]));
      return { leave, start: () => started(starts, () => Promise.all([left.promise, aWhile()])) };
    },
  };
}

/** Resolves when the queue starts the work. */
function started(queue: PQueue, work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      resolve();
      return work();
    };
    queue.add(begin, signal && { signal }).catch(reject);
  });
}

export function takeUploadSlot({ form }: Operation, slots: UploadSlots): RequestHandler[] {
  if (form === undefined) return [];
  return [
    async (_request, response, next) => {
      response.locals.slot = await slots.take(response);
      next();
    },
  ];
}

export function awaitUploadStart({ form }: Operation): RequestHandler[] {
  if (form === undefined) return [];
  return [
    async (_request, response, next) => {
      await response.locals.slot?.start();
      next();
    },
  ];
}

function noSlot(): DomainError {
  const detail = 'The service is receiving too many files at once. Send the same request again in a moment.';
  return new DomainError('dependency-unavailable', detail, { dependency: 'memory', retry_after: RETRY_AFTER_S });
}
