import type { Request, RequestHandler, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { DomainError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/auth.ts';
import type { Config } from '../../../infra/config/index.ts';
import type { Operation } from '../contract.ts';
import { CallerGone } from './caller-gone.ts';
import { createUploadPlaces } from './upload-places.ts';

export interface UploadSlot {
  /** Waits until this request may use the processor. Rejects if the caller has gone, so that its file leaves the memory. */
  start(): Promise<void>;
  /** Releases the slot and the processor. */
  leave(): void;
  /** Rejects if the upload gives way to another caller's. */
  lost: Promise<never>;
}

type UploadSlots = ReturnType<typeof createUploadSlots>;
type Sent = Pick<Request, 'complete'> & { socket: Pick<Request['socket'], 'bytesRead'> };

const RETRY_AFTER_S = 5;

/**
 * Allows `most` slots, and to each caller its share of them. As many further requests of a caller may wait for a slot,
 * for up to `waitMs`. One request at a time uses the processor, and these starts are at least `apartMs` apart. The next
 * body is read after `apartMs`, or once the previous body's slot is released.
 */
export function createUploadSlots({ most, ofPerson, ofApplication, waitMs, apartMs }: Config['api']['uploads']) {
  const places = createUploadPlaces(most);
  const bodies = new PQueue({ concurrency: 1 });
  const starts = new PQueue({ concurrency: 1 });
  const aWhile = () => sleep(apartMs, undefined, { ref: false });
  return {
    /** The slot is released on `leave`, after the response, or when the caller disconnects. */
    async take(principal: Principal, request: Sent, response: Pick<Response, 'once' | 'off'>): Promise<UploadSlot> {
      const isPerson = principal.kind === 'user';
      const caller = isPerson ? principal.userId : principal.appId;
      if (places.waitingOf(caller) >= most) throw noSlot(RECEIVING_TOO_MANY);
      const [taken, left, lost] = [
        Promise.withResolvers<undefined>(),
        Promise.withResolvers<undefined>(),
        Promise.withResolvers<never>(),
      ];
      lost.promise.catch(() => undefined);
      const bytesBefore = request.socket.bytesRead;
      const release = places.wait({
        caller,
        share: isPerson ? ofPerson : ofApplication,
        received: () => request.socket.bytesRead - bytesBefore,
        isComplete: () => request.complete,
        take: () => taken.resolve(undefined),
        giveWay: () => lost.reject(noSlot(SLOWEST)),
      });
      const timer = setTimeout(() => taken.reject(noSlot(RECEIVING_TOO_MANY)), waitMs);
      const leave = () => {
        response.off('close', leave);
        left.resolve(undefined);
        taken.reject(noSlot(RECEIVING_TOO_MANY));
        release();
      };
      response.once('close', leave);
      try {
        await taken.promise;
      } catch (error) {
        leave();
        throw error;
      } finally {
        clearTimeout(timer);
      }
      await started(bodies, () => Promise.race([aWhile(), left.promise]));
      const start = async () => {
        let isGone = false;
        const gone = left.promise.then(() => {
          isGone = true;
          throw new CallerGone();
        });
        const process = () => (isGone ? Promise.resolve() : Promise.all([left.promise, aWhile()]));
        await Promise.race([started(starts, process), gone]);
      };
      return { leave, lost: lost.promise, start };
    },
  };
}

/** Resolves when the queue starts the work. */
function started(queue: PQueue, work: () => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      resolve();
      return work();
    };
    queue.add(begin).catch(reject);
  });
}

export function takeUploadSlot({ form }: Operation, slots: UploadSlots): RequestHandler[] {
  if (form === undefined) return [];
  return [
    async (request, response, next) => {
      response.locals.slot = await slots.take(response.locals.principal!, request, response);
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

const RECEIVING_TOO_MANY = 'The service is receiving too many files at once.';
const SLOWEST = 'The service is receiving too many files at once, and this one was the slowest.';

function noSlot(reason: string): DomainError {
  const detail = `${reason} Send the same request again in a moment.`;
  return new DomainError('dependency-unavailable', detail, { dependency: 'memory', retry_after: RETRY_AFTER_S });
}
