import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import { free } from '../../infra/buffers.ts';
import type { Config } from '../../infra/config.ts';
import type { Body } from './body.ts';
import type { UploadedFile } from './multipart.ts';
import type { Steps } from './once.ts';

/** Places for requests whose files are held in memory. */
export interface UploadPlaces {
  /**
   * Waits for a place, which is given back when the answer is out or the caller gone, or before. Until then nothing of the body is
   * read, and bodies begin one after the other.
   * @throws DomainError `dependency-unavailable` when none is free in time, or too many wait already.
   */
  take(response: Pick<ServerResponse, 'once' | 'off'>): Promise<UploadPlace>;
}

/** A place of one request. */
export interface UploadPlace {
  /** Waits until it is this one's turn to do what the processor is busy with; there is one turn, so that others get theirs in between. */
  turn(): Promise<void>;
  /** Gives place and turn back, since nothing of the files is needed any more. */
  leave(): void;
}

const RETRY_AFTER_S = 5;

/**
 * `most` at once; as many again may wait for `waitMs`. Bodies and turns begin `apartMs` after each other at the earliest, bodies sooner
 * where the one before is done with or its caller gone.
 */
export function createUploadPlaces({ most, waitMs, apartMs }: Config['api']['uploads']): UploadPlaces {
  let taken = 0;
  let bodies: Promise<unknown> = Promise.resolve();
  let turns: Promise<unknown> = Promise.resolve();
  const aWhile = () => sleep(apartMs, undefined, { ref: false });
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  };
  const placeFor = async (response: Pick<ServerResponse, 'once' | 'off'>): Promise<UploadPlace> => {
    const left = Promise.withResolvers<undefined>();
    const leave = () => {
      response.off('close', leave);
      left.resolve(undefined);
    };
    void left.promise.then(release);
    response.once('close', leave);
    const mayBegin = bodies;
    bodies = mayBegin.then(() => Promise.race([aWhile(), left.promise]));
    await mayBegin;
    return {
      leave,
      async turn() {
        const before = turns;
        turns = before.then(async () => {
          const apart = aWhile();
          await left.promise;
          await apart;
        });
        await before;
      },
    };
  };
  return {
    async take(response) {
      if (taken < most) taken += 1;
      else if (waiting.size >= most) throw noPlace();
      else {
        await new Promise<void>((resolve, reject) => {
          const done = (settle: () => void) => () => {
            clearTimeout(timer);
            response.off('close', gone);
            waiting.delete(next);
            settle();
          };
          const next = done(resolve);
          const gone = done(() => reject(noPlace()));
          const timer = setTimeout(gone, waitMs);
          response.once('close', gone);
          waiting.add(next);
        });
      }
      return placeFor(response);
    },
  };
}

/** Steps that wait for their turn, and whose files are gone once what is begun is stored: before that it may be begun again. */
export function inTurn(steps: Steps, place: UploadPlace, { value }: Body): Steps {
  return {
    ...steps,
    async prepare() {
      await place.turn();
      await steps.prepare();
    },
    finish(begun) {
      for (const part of Object.values(value as object)) if (isFile(part)) free(part.bytes);
      place.leave();
      return steps.finish(begun);
    },
  };
}

function isFile(part: unknown): part is UploadedFile {
  return typeof part === 'object' && part !== null && 'bytes' in part;
}

function noPlace(): DomainError {
  const detail = 'More files are being sent in than can be taken at once. Send the same request again in a moment.';
  return new DomainError('dependency-unavailable', detail, { dependency: 'memory', retry_after: RETRY_AFTER_S });
}
