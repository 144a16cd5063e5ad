import type { Pool, PoolClient } from 'pg';
import { hold, type Corked } from './cork.ts';

/** A connection that all share who look something up. */
export interface Lane {
  /**
   * What is asked at the same moment leaves in one message, and is answered in order. For look-ups by key only, as nobody is
   * answered before those who asked earlier.
   */
  ask<T>(ask: (client: PoolClient) => Promise<T>): Promise<T>;
  /** Gives the connection back; to be called when nothing more is asked. */
  close(): Promise<void>;
}

interface Line {
  open: Promise<Corked>;
  /** How many still wait for an answer on it. */
  waiting: number;
  broken?: Error;
  givenBack?: true;
}

/**
 * The lane keeps a connection of its own from the first look-up on, until it breaks: where many transactions begin at once, a
 * look-up waits neither for a connection nor for the plans of a new one.
 */
export function sharedLane(pool: Pool): Lane {
  let line: Line | undefined;
  const opened = (): Line => {
    const open = pool.connect().then((client) => {
      client.on('error', (error) => giveUp(fresh, error));
      return { client, held: false };
    });
    const fresh: Line = { open, waiting: 0 };
    return fresh;
  };
  const giveUp = (left: Line, error: unknown) => {
    left.broken ??= error instanceof Error ? error : new Error('a look-up failed');
    if (line === left) line = undefined;
    // Those who still wait on it get their answers first.
    if (left.waiting === 0) giveBack(left);
  };
  const giveBack = (left: Line) => {
    if (left.givenBack) return;
    left.givenBack = true;
    left.open.then(
      ({ client }) => client.release(left.broken),
      () => undefined,
    );
  };
  return {
    async ask(ask) {
      const taken = (line ??= opened());
      taken.waiting += 1;
      let fault: unknown;
      try {
        const open = await taken.open;
        hold(open);
        return await ask(open.client);
      } catch (error) {
        fault = error;
        throw error;
      } finally {
        taken.waiting -= 1;
        // Whatever it was: the next ones get a connection that is known to be sound.
        if (fault ?? taken.broken) giveUp(taken, fault);
      }
    },
    async close() {
      if (!line) return;
      const left = line;
      line = undefined;
      giveBack(left);
      await left.open.catch(() => undefined);
    },
  };
}
