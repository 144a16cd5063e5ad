import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

const LISTEN_AGAIN_MS = 500;

/** Listens on a separate connection. After a lost connection, listens again, but notifications in between are lost. */
export async function listenOn(
  pool: Pool,
  channel: string,
  listener: (payload: string) => void,
): Promise<() => Promise<void>> {
  let listening: PoolClient | undefined;
  let stopped = false;
  const released = new WeakSet<PoolClient>();
  const drop = (client: PoolClient) => {
    if (listening === client) listening = undefined;
    if (released.has(client)) return;
    released.add(client);
    client.removeAllListeners('notification');
    client.release(true);
  };
  const open = async () => {
    const client = await pool.connect();
    client.on('notification', (message) => listener(message.payload ?? ''));
    client.on('error', () => {
      const wasListening = listening === client;
      drop(client);
      if (wasListening) void openAgain();
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
  await open();
  return () => {
    stopped = true;
    if (listening) drop(listening);
    return Promise.resolve();
  };
}
