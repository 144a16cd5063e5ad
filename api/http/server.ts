import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Socket, type AddressInfo } from 'node:net';
import type { TlsFiles } from '../../infra/config.ts';
import { brokenRequests, namesItsHost } from './broken-requests.ts';
import { carriesBody, drainAfterAnswer, isLingering } from './drain.ts';
import { splitPlainHttp, type FirstBytes } from './first-byte.ts';
import { pathOf } from './target.ts';
import type { RequestWatch } from './watch.ts';

export interface ServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** `ca` holds whose client certificates count; without TLS it is a listener for proxies that end TLS. */
  tls?: TlsFiles;
  /** Where callers reach it; where they do not say, that is here. */
  publicUrl?: string;
}

export interface RunningServer {
  port: number;
  /** Takes no more connections, lets what is under way finish for `withinMs`, then cuts it off. */
  stop(withinMs: number): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** What answers requests, and what counts those that never reach it. */
export interface Answering {
  listener: Listener;
  watch: Pick<RequestWatch, 'refused' | 'unread'>;
}

const HTTP_OPTIONS = {
  // How long headers, a whole request, and an idle kept-alive connection may take: who sends drop by drop is let go.
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  // Node's own refusal has neither a body nor a request id.
  requireHostHeader: false,
};
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Serves HTTPS by TLS 1.3 only, or plain HTTP to proxies. A client certificate is asked for and may be missing. `localhost`
 * is both of its addresses.
 * @throws when a file cannot be read or the port is taken.
 */
export async function startServer(
  { host, port, tls, publicUrl }: ServerOptions,
  { listener: answer, watch }: Answering,
): Promise<RunningServer> {
  const broken = brokenRequests(watch);
  const listener: Listener = (request, response) => {
    // What comes after an answer with `Connection: close` cannot be answered, so it is not done either.
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
  const firstBytes: FirstBytes[] = [];
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
      // An expectation beside 100-continue may be refused (RFC 9110, 10.1.1), and need not be.
      server.on('checkExpectation', listener);
      if (tls !== undefined) firstBytes.push(splitPlainHttp(server, answerPlain));
      if (!(await listens(server, address, taken, servers.length > 0))) continue;
      servers.push(server);
      taken = (server.address() as AddressInfo).port;
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  const stop = (withinMs: number) => {
    const stopped = stopAll(servers, withinMs);
    for (const waiting of firstBytes) waiting.drop();
    return stopped;
  };
  return { port: taken, stop };
}

async function tlsServers(tls: TlsFiles, listener: Listener): Promise<() => Server> {
  const [ca, cert, key] = await Promise.all([readFile(tls.ca), readFile(tls.cert), readFile(tls.key)]);
  const secure = { ca, cert, key, minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false } as const;
  return () => createServer({ ...secure, ...HTTP_OPTIONS, handshakeTimeout: 10_000 }, listener);
}

/** Whether it listens; a machine may lack the second of localhost's addresses. */
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
  // A connection that was busy when the server closed is kept alive after its answer.
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
