import { Client, Connection, type ClientOptions } from '@temporalio/client';
import type { Config } from '../config.ts';

/** A client that connects when it is first used, so that the service starts and takes payments while Temporal is away. */
export function openTemporal(config: Config['temporal'], more: Pick<ClientOptions, 'interceptors'> = {}): Client {
  const connection = Connection.lazy({ address: config.address, tls: config.tls, connectTimeout: '5s' });
  return new Client({ connection, namespace: config.namespace, ...more });
}

/** What activities may ask of Temporal. */
export interface TemporalProbe {
  /** @throws when it does not answer in two seconds. */
  check(): Promise<void>;
}

/** Each question is a connection of its own, gone with the answer: a part that is away leaves nothing behind. */
export function probeTemporal({ address, tls }: Config['temporal']): TemporalProbe {
  return {
    async check() {
      const connection = Connection.lazy({ address, tls, connectTimeout: '2s' });
      try {
        await connection.ensureConnected();
        await connection.withDeadline(Date.now() + 2_000, () => connection.workflowService.getSystemInfo({}));
      } finally {
        await connection.close();
      }
    },
  };
}
