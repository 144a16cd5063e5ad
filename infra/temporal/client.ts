import { Client, Connection, type ClientOptions } from '@temporalio/client';
import type { TemporalConfig } from '../config.ts';
import { contentOf } from '../config/settings.ts';

/**
 * How clients and workers connect to Temporal. The settings decide whether with TLS, our certificate and our API key.
 * @throws ConfigError if a file cannot be read.
 */
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

/** A client that connects when it is first used, so that the service starts and takes payments while Temporal is away. */
export function openTemporal(config: TemporalConfig, more: Pick<ClientOptions, 'interceptors'> = {}): Client {
  const connection = Connection.lazy({ ...connectionOptions(config), connectTimeout: '5s' });
  return new Client({ connection, namespace: config.namespace, ...more });
}

/** What activities may ask of Temporal. */
export interface TemporalProbe {
  /** @throws when it does not answer in two seconds. */
  check(): Promise<void>;
}

/** Each question opens a connection, which closes after the answer: a part that is away leaves nothing behind. */
export function probeTemporal(config: TemporalConfig): TemporalProbe {
  const options = connectionOptions(config);
  return {
    async check() {
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
