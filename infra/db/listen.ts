import type { Pool, PoolClient } from 'pg';

export interface Listener {
  /** Subscribes, unless already subscribed. Call again later, because the connection can be lost. */
  listen(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on a separate connection. Notifications while there is no connection are lost. */
export function listenerOn(pool: Pool, channel: string, notify: (payload: string) => void): Listener {
  let opening: Promise<void> | undefined;
  let listening: PoolClient | undefined;
  const drop = () => {
    listening?.removeAllListeners('notification').release(true);
    listening = undefined;
    opening = undefined;
  };
  const open = async () => {
    const client = await pool.connect();
    client.on('notification', ({ payload = '' }) => notify(payload));
    client.on('error', () => {
      if (listening === client) drop();
    });
    await client.query(`listen "${channel}"`).catch((error: unknown) => {
      client.release(true);
      throw error;
    });
    listening = client;
  };
  return {
    async listen() {
      opening ??= open();
      await opening.catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    },
    async stop() {
      await opening?.catch(() => undefined);
      drop();
    },
  };
}
