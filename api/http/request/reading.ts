import type { Response } from 'express';
import { callerOf } from '../../../domain/auth.ts';
import { addressGroup } from '../../../infra/limits/index.ts';
import { CallerGone } from './caller-gone.ts';
import { takeTurn } from './turns.ts';

export interface Reading {
  /** Rejects if nobody needs the body any longer: an upload loses its place, or the response has been sent. */
  over: Promise<never>;
  /** Is told how many bytes more are in memory, and can refuse them. */
  received: (bytes: number) => void;
  /** Waits until so many bytes may be parsed. */
  turn: (bytes: number) => Promise<void>;
}

export async function whileReading<T>(response: Response, read: (reading: Reading) => Promise<T>): Promise<T> {
  const { slot, exchange, principal, address } = response.locals;
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  slot?.lost.catch(reject);
  // From then on, nobody counts the bytes. A response can come early, for example if the chunks break their rules.
  const answered = () => reject(new CallerGone());
  response.once('close', answered);
  const caller = principal ? callerOf(principal) : addressGroup(address);
  try {
    const turn = (bytes: number) => takeTurn(caller, bytes);
    return await read({ over, received: (bytes) => exchange?.received(bytes), turn });
  } finally {
    response.off('close', answered);
  }
}
