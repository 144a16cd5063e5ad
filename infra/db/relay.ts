import type { Pool, PoolClient } from 'pg';

/** The connection of a transaction, until it gives it back. */
export interface Leg {
  client: PoolClient;
  /** Its last message has left: whoever comes next may ask after that on the same connection. */
  handOn(): void;
  /** To be called once. Where it is not `sound`, nobody uses the connection again. */
  giveBack(sound: boolean): void;
}

interface Baton {
  client: PoolClient;
  /** How many have not given it back yet. */
  holders: number;
  isSound: boolean;
}

/**
 * Connections that transactions pass on: the next one's first message stands behind the last one of that before it, so that PostgreSQL
 * goes on with it at once. As it is one session, the one has committed, and has no locks, when the other begins.
 */
export function relay(pool: Pool): { take(): Promise<Leg> } {
  let free: Baton | undefined;
  const keep = (baton: Baton) => {
    if (free !== undefined || !baton.isSound) return false;
    free = baton;
    return true;
  };
  const release = (baton: Baton) => {
    if (free === baton) free = undefined;
    baton.client.release(!baton.isSound);
  };
  const releaseUnused = (baton: Baton) => {
    if (free === baton && baton.holders === 0) release(baton);
  };
  const legOf = (baton: Baton): Leg => {
    baton.holders += 1;
    return {
      client: baton.client,
      handOn: () => void keep(baton),
      giveBack(sound) {
        baton.holders -= 1;
        baton.isSound &&= sound;
        if (!baton.isSound && free === baton) free = undefined;
        if (baton.holders > 0) return;
        // Kept for those who wait already: the pool would give it to them only when everything else of this turn is done.
        if (free === baton || keep(baton)) setImmediate(releaseUnused, baton);
        else release(baton);
      },
    };
  };
  return {
    async take() {
      if (free === undefined) return legOf({ client: await pool.connect(), holders: 0, isSound: true });
      const baton = free;
      free = undefined;
      return legOf(baton);
    },
  };
}
