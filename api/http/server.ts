import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { drainAfterAnswer, isLingering, lingerAndClose } from './drain.ts';
import { problemOf } from './problem-document.ts';
import { PROBLEMS } from './problem.ts';
import type { TlsFiles } from '../../infra/config.ts';

export interface ServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** `ca` holds whose client certificates count; without TLS it is a listener for proxies that end TLS. */
  tls?: TlsFiles;
}

export interface RunningServer {
  port: number;
  /** Takes no more connections, lets what is under way finish for `withinMs`, then cuts it off. */
  stop(withinMs: number): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

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
export async function startServer({ host, port, tls }: ServerOptions, answer: Listener): Promise<RunningServer> {
  const listener: Listener = (request, response) => {
    // What comes after an answer with `Connection: close` cannot be answered, so it is not done either.
    if (isLingering(request.socket)) return;
    drainAfterAnswer(request, response);
    if (namesItsHost(request)) answer(request, response);
    else answerWithoutHost(response);
  };
  const newServer =
    tls === undefined ? () => createPlainServer(HTTP_OPTIONS, listener) : await tlsServers(tls, listener);
  const servers: Server[] = [];
  let taken = port;
  try {
    for (const address of host === 'localhost' ? LOOPBACK : [host]) {
      const server = newServer();
      server.on('clientError', answerBrokenRequest);
      // An expectation beside 100-continue may be refused (RFC 9110, 10.1.1), and need not be.
      server.on('checkExpectation', listener);
      if (!(await listens(server, address, taken, servers.length > 0))) continue;
      servers.push(server);
      taken = (server.address() as AddressInfo).port;
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return { port: taken, stop: (withinMs) => stopAll(servers, withinMs) };
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

const NO_HTTP: [ErrorCode, string] = ['invalid-request', 'The request is not HTTP as in RFC 9112.'];
const BROKEN: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers-too-large',
    'The headers and the address are larger than the 16 kB that are taken here.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not arrive as a whole in time.'],
};

/**
 * What could not be read as HTTP never reaches the shell; it is answered here, and the connection ends. What TLS does not take,
 * as a certificate with a forged signature, ends it without a word.
 */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL_') || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = brokenAnswer(...(BROKEN[error.code ?? ''] ?? NO_HTTP));
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} Refused`, ...head, '', body].join('\r\n'));
}

/** Whether a request says whom it is for, as one of HTTP/1.1 must: once (RFC 9112, 3.2). */
function namesItsHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  // Names and values in turn. Of each request, so without the objects that Node makes of all of them.
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2)
    if (rawHeaders[place]!.length === 4 && rawHeaders[place]!.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function answerWithoutHost(response: ServerResponse): void {
  const { status, headers, body } = brokenAnswer(...NO_HTTP);
  response.writeHead(status, headers).end(body);
}

function brokenAnswer(code: ErrorCode, detail: string) {
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(new DomainError(code, detail), { path: '/', requestId }));
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { status: PROBLEMS[code].status, headers, body };
}
