import { Client, Connection, type ClientOptions } from '@temporalio/client';
import type { TemporalConfig } from '../config/index.ts';
import { contentOf } from '../config/settings.ts';

export function connectionOptions({ address, tls, tlsCa, tlsClient, apiKey }: TemporalConfig) {
  return { address, tls: tls && tlsOptions(tlsCa, tlsClient), ...(apiKey !== undefined && { apiKey }) };
}

const pem = (name: string, file: string) => Buffer.from(contentOf(name, file));

function tlsOptions(ca: TemporalConfig['tlsCa'], client: TemporalConfig['tlsClient']) {
  return {
    ...(ca !== undefined && { serverRootCACertificate: pem('TEMPORAL_TLS_CA', ca) }),
    ...(client !== undefined && {
      clientCertPair: {
        crt: pem('TEMPORAL_TLS_CERT', client.cert),
        key: pem('TEMPORAL_TLS_KEY', client.key),
      },
    }),
  };
}

/** Connects on first use, so that the service can start and accept payments while Temporal is unreachable. */
export function openTemporal(config: TemporalConfig, more: Pick<ClientOptions, 'interceptors'> = {}): Client {
  const connection = Connection.lazy({ ...connectionOptions(config), connectTimeout: '5s' });
  return new Client({ connection, namespace: config.namespace, ...more });
}

export type TemporalProbe = ReturnType<typeof probeTemporal>;

/** Opens and closes a connection for each check, so that an unreachable server leaves nothing open. */
export function probeTemporal(config: TemporalConfig) {
  const options = connectionOptions(config);
  return {
    /** @throws if Temporal does not respond in time. */
    async check(): Promise<void> {
      const connection = Connection.lazy({ ...options, connectTimeout: '2s' });
      try {
        await connection.ensureConnected();
        await connection.withDeadline(Date.now() + 2_000, () => connection.workflowService.getSystemInfo({}));
      } finally {
        await connection.close();
      }
    },
  };
}
