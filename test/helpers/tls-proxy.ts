import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';

/** Accepts TLS connections and forwards them to a server without TLS, such as a test's Temporal server. */
export interface TlsProxy {
  port: number;
  /** The common names of accepted client certificates. */
  readonly clients: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Accepts only clients with a certificate signed by `tls.ca`. */
export async function startTlsProxy(target: string, tls: Pick<TlsOptions, 'ca' | 'cert' | 'key'>): Promise<TlsProxy> {
  const [host = '', port] = target.split(/:(?=\d+$)/);
  const clients = new Set<string>();
  const open = new Set<Socket>();
  const options = { ...tls, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
  const server = createServer(options, (client) => {
    clients.add(String(client.getPeerCertificate().subject.CN));
    const upstream = connect(Number(port), host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  // TLS itself tells the refused client the reason.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    clients,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
