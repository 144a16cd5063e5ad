import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Socket, type AddressInfo } from 'node:net';
import type { TlsFiles } from '../../../infra/config/index.ts';
import { brokenRequests, namesItsHost } from './broken-requests.ts';
import { carriesBody, drainAfterAnswer, isLingering } from '../request/drain.ts';
import type { TrustsProxy } from '../access/proxies.ts';
import { PATIENCE, type Exchanges } from './exchanges.ts';
import { splitPlainHttp } from './first-byte.ts';
import { pathOf } from '../request/target.ts';
import type { RequestWatch } from './watch.ts';

interface ServerOptions {
  host: string;
  /** 0 chooses a free port. */
  port: number;
  /** `ca` contains the CAs for client certificates. Without `tls`, the server is a plain listener for proxies. */
  tls?: TlsFiles;
  /** The service's address for callers. The default is the listening address. */
  publicUrl?: string;
}

export interface RunningServer {
  port: number;
  /** After `withinMs`, closes the connections of unfinished requests. */
  stop(withinMs: number): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface Answering {
  listener: Listener;
  watch: Pick<RequestWatch, 'refused' | 'unread'>;
  exchanges: Exchanges;
  trustsProxy: TrustsProxy;
}

const HTTP_OPTIONS = {
  headersTimeout: 15_000,
  requestTimeout: PATIENCE.upload,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  // Node's own response to a request without a Host header has no body and no request id.
  requireHostHeader: false,
};
const SWEEP_EVERY_MS = 5_000;
const LOOPBACK = ['127.0.0.1', '::1'];

/** For `localhost`, listens on 127.0.0.1, and also on ::1 if the machine has it. */
export async function startServer(
  { host, port, tls, publicUrl }: ServerOptions,
  { listener: answer, watch, exchanges, trustsProxy }: Answering,
): Promise<RunningServer> {
  const broken = brokenRequests(watch);
  const listener: Listener = (request, response) => {
    // A request after `Connection: close` cannot get a response, so it must have no effect.
    if (isLingering(request.socket)) return;
    if (carriesBody(request)) {
      drainAfterAnswer(request, response);
      broken.began(request, response);
    }
    request.url = pathOf(request.url ?? '/');
    if (namesItsHost(request)) answer(request, response);
    else broken.answerWithoutHost(response);
  };
  const newServer =
    tls === undefined ? () => createPlainServer(HTTP_OPTIONS, listener) : await tlsServers(tls, listener);
  const servers: Server[] = [];
  const drops: (() => void)[] = [];
  let taken = port;
  const answerPlain = (socket: Socket) => {
    const url = publicUrl?.startsWith('https:') === true ? publicUrl : `https://${host}:${taken}`;
    broken.answerPlain(socket, url);
  };
  try {
    for (const address of host === 'localhost' ? LOOPBACK : [host]) {
      const server = newServer();
      server.on('clientError', (error, socket) => {
        if (socket instanceof Socket) broken.answer(error, socket);
        else socket.destroy();
      });
      // Unknown `Expect` values are ignored, as RFC 9110 (10.1.1) allows.
      server.on('checkExpectation', listener);
      if (tls !== undefined) drops.push(splitPlainHttp(server, answerPlain));
      server.on('connection', (socket: Socket) => {
        exchanges.connections.opened(socket, tls === undefined && trustsProxy(socket.remoteAddress ?? ''));
      });
      server.on('secureConnection', exchanges.connections.secured);
      if (!(await listens(server, address, taken, servers.length > 0))) continue;
      servers.push(server);
      taken = (server.address() as AddressInfo).port;
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  const sweeping = setInterval(() => {
    exchanges.sweep(broken.late);
  }, SWEEP_EVERY_MS).unref();
  const stop = (withinMs: number) => {
    clearInterval(sweeping);
    const stopped = stopAll(servers, withinMs);
    for (const drop of drops) drop();
    return stopped;
  };
  return { port: taken, stop };
}

async function tlsServers(tls: TlsFiles, listener: Listener): Promise<() => Server> {
  const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)]);
  const secure = { ca, cert, key, minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false } as const;
  return () => createServer({ ...secure, ...HTTP_OPTIONS, handshakeTimeout: 10_000 }, listener);
}

/** Returns false if `mayLack` is set and the machine lacks the address, such as ::1. */
async function listens(server: Server, host: string, port: number, mayLack: boolean): Promise<boolean> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayLack && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return false;
    throw error;
  }
}

async function stopAll(servers: readonly Server[], withinMs: number): Promise<void> {
  const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  // A connection that was busy at `close` becomes idle after its response.
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, 50);
  const end = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, withinMs);
  await closed;
  clearInterval(idle);
  clearTimeout(end);
}
