import { Client, Connection } from '@temporalio/client';
import type { Config } from '../config.ts';

/** A client that connects when it is first used, so that the service starts and takes payments while Temporal is away. */
export function openTemporal(config: Config['temporal']): Client {
  const connection = Connection.lazy({ address: config.address, tls: config.tls, connectTimeout: '5s' });
  return new Client({ connection, namespace: config.namespace });
}
