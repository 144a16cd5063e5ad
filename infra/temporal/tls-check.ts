import { connect as connectPlain } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import type { TemporalConfig } from '../config/index.ts';
import { ConfigError } from '../config/settings.ts';

type Protocol = 'tls' | 'plain';

const ANSWER_WITHIN_MS = 3_000;

/** @throws ConfigError if Temporal's server certainly contradicts TEMPORAL_TLS. An unreachable server contradicts nothing. */
export async function requireSameTls({ address, tls }: Pick<TemporalConfig, 'address' | 'tls'>): Promise<void> {
  const protocol = await protocolOf(address);
  if (protocol === 'plain' && tls)
    throw new ConfigError(
      `TEMPORAL_TLS is "true", but Temporal at ${address} has no TLS. Set TEMPORAL_TLS to "false", or set TEMPORAL_ADDRESS to a Temporal with TLS.`,
    );
  if (protocol === 'tls' && !tls)
    throw new ConfigError(
      `TEMPORAL_TLS is "false", but Temporal at ${address} requires TLS. Set TEMPORAL_TLS to "true".`,
    );
}

/** Undefined if the server answers in neither way. */
async function protocolOf(address: string): Promise<Protocol | undefined> {
  const { host, port } = hostAndPort(address);
  const answers = [answersTls(host, port), answersPlain(host, port)];
  return Promise.any(answers).catch(() => undefined);
}

export function hostAndPort(address: string): { host: string; port: number } {
  const [host = '', port = '7233'] = address.split(/:(?=\d+$)/);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** Checks no certificate, and sends nothing but the handshake. */
async function answersTls(host: string, port: number): Promise<Protocol> {
  const { promise, resolve, reject } = Promise.withResolvers<Protocol>();
  const socket = connectTls({
    host,
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    timeout: ANSWER_WITHIN_MS,
  });
  socket.once('secureConnect', () => resolve('tls')).once('timeout', () => reject(new Error('no answer')));
  // A server that requires a client certificate can refuse the handshake with an alert, which is an answer in TLS.
  socket.once('error', (error: NodeJS.ErrnoException) =>
    /^ERR_SSL_.*ALERT/.test(error.code ?? '') ? resolve('tls') : reject(error),
  );
  return promise.finally(() => socket.destroy());
}

async function answersPlain(host: string, port: number): Promise<Protocol> {
  const { promise, resolve, reject } = Promise.withResolvers<Protocol>();
  const session = connectPlain(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  session.setTimeout(ANSWER_WITHIN_MS, () => reject(new Error('no answer')));
  session.once('remoteSettings', () => resolve('plain')).once('close', () => reject(new Error('closed')));
  session.on('error', reject);
  return promise.finally(() => session.destroy());
}
