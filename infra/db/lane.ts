import type { Pool, PoolClient } from 'pg';
import { hold, type Corked } from './cork.ts';

interface Lane {
  open: Promise<Corked>;
  /** How many still wait for an answer on it. */
  waiting: number;
  broken?: Error;
}

/**
 * A connection that all share who ask at the same moment: what they ask leaves in one message, and is answered in order. For
 * look-ups by key only, as nobody is answered before those who asked earlier.
 */
export function sharedLane(pool: Pool): <T>(ask: (client: PoolClient) => Promise<T>) => Promise<T> {
  let lane: Lane | undefined;
  const leave = (left: Lane) => {
    left.waiting -= 1;
    if (left.waiting === 0 || left.broken) forget(left);
    if (left.waiting > 0) return;
    left.open.then(
      ({ client }) => client.release(left.broken),
      () => undefined,
    );
  };
  const forget = (left: Lane) => {
    if (lane === left) lane = undefined;
  };
  return async (ask) => {
    const taken = (lane ??= { open: pool.connect().then((client) => ({ client, held: false })), waiting: 0 });
    taken.waiting += 1;
    try {
      const open = await taken.open;
      hold(open);
      return await ask(open.client);
    } catch (error) {
      // Whatever it was: the next ones get a connection that is known to be sound.
      taken.broken = error instanceof Error ? error : new Error('a look-up failed');
      throw error;
    } finally {
      leave(taken);
    }
  };
}
