import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import proxyAddr from 'proxy-addr';

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** A request as the shell knows it from its first line and headers. */
export interface Incoming {
  method: string;
  /** Without the query, as it was sent. */
  path: string;
  /** Without the question mark, as it was sent. */
  search: string;
  requestId: string;
  address: string;
  startedAt: number;
}

/** On every answer, whatever it is. An answer may set its own Cache-Control or Content-Security-Policy. */
const SECURITY_HEADERS = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});

/** A browser keeps HSTS by host for all its ports: for localhost it would lock people out of their other programs there. */
const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Whether the machine with this address is one of our own proxies. */
export type TrustsProxy = (address: string) => boolean;

/** Proxies by their addresses or networks. */
export function trustedProxies(networks: readonly string[]): TrustsProxy {
  const trusts = proxyAddr.compile([...networks]);
  return (address) => trusts(address, 0);
}

/** Whether a request came from one of our own proxies, by the plain listener that is there for them. */
export function isProxied({ socket }: IncomingMessage, trusts: TrustsProxy): boolean {
  return !(socket as Partial<TLSSocket>).encrypted && trusts(socket.remoteAddress ?? '');
}

/** Takes in a request and gives its answer the headers that all have. */
export function takeIn(request: IncomingMessage, response: ServerResponse, trusts: TrustsProxy): Incoming {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', requestId);
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  if (!OWN_MACHINE.test(request.headers.host ?? ''))
    response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  return {
    method: request.method ?? 'GET',
    ...targetOf(request.url ?? '/'),
    requestId,
    address: isProxied(request, trusts) ? proxyAddr(request, trusts) : (request.socket.remoteAddress ?? ''),
    startedAt: performance.now(),
  };
}

/** Path and query of a request's target, which is a path, or a whole address where the sender takes us for a proxy. */
function targetOf(target: string): { path: string; search: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? '';
  const [pathAndQuery = ''] = target.slice(origin.length).split('#', 1);
  const mark = pathAndQuery.indexOf('?');
  if (mark === -1) return { path: pathAndQuery, search: '' };
  return { path: pathAndQuery.slice(0, mark), search: pathAndQuery.slice(mark + 1) };
}
