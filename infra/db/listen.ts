import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

const LISTEN_AGAIN_MS = 500;

export interface Listener {
  /** The first call subscribes. If the subscription fails, the next call tries again. */
  listen(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on a separate connection. After a lost connection, listens again, but notifications in between are lost. */
export function listenerOn(pool: Pool, channel: string, notify: (payload: string) => void): Listener {
  let first: Promise<void> | undefined;
  let listening: PoolClient | undefined;
  let stopped = false;
  const drop = (client: PoolClient) => {
    if (listening === client) listening = undefined;
    client.removeAllListeners('notification');
    client.release(true);
  };
  const open = async () => {
    const client = await pool.connect();
    client.on('notification', ({ payload = '' }) => notify(payload));
    client.on('error', () => {
      if (listening !== client) return;
      drop(client);
      void openAgain();
    });
    try {
      await client.query(`listen "${channel}"`);
    } catch (error) {
      drop(client);
      throw error;
    }
    if (stopped) drop(client);
    else listening = client;
  };
  const openAgain = async () => {
    while (!stopped) {
      await sleep(LISTEN_AGAIN_MS);
      try {
        await open();
        return;
      } catch {
        // The loop tries again.
      }
    }
  };
  return {
    async listen() {
      first ??= open();
      await first.catch((error: unknown) => {
        first = undefined;
        throw error;
      });
    },
    async stop() {
      stopped = true;
      await first?.catch(() => undefined);
      if (listening) drop(listening);
    },
  };
}
