import type { ServerResponse } from 'node:http';
import { DomainError } from '../../domain/errors.ts';

/** Places for requests whose files are held in memory. */
export interface UploadPlaces {
  /**
   * Waits for a place, which is given back when the answer is out or the caller gone. Until then nothing of the body is read.
   * @throws DomainError `dependency-unavailable` when none is free in time, or too many wait already.
   */
  take(response: Pick<ServerResponse, 'once' | 'off'>): Promise<void>;
}

const RETRY_AFTER_S = 5;

/** `most` at once; as many again may wait for `waitMs`. */
export function createUploadPlaces({ most, waitMs }: { most: number; waitMs: number }): UploadPlaces {
  let taken = 0;
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
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
      response.once('close', release);
    },
  };
}

function noPlace(): DomainError {
  const detail = 'More files are being sent in than can be taken at once. Send the same request again in a moment.';
  return new DomainError('dependency-unavailable', detail, { dependency: 'memory', retry_after: RETRY_AFTER_S });
}
