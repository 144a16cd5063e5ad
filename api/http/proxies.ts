import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import proxyAddr from 'proxy-addr';

/** Whether the IP address belongs to one of our own proxies. */
export type TrustsProxy = (address: string) => boolean;

/** Trusts proxies by IP address or network. Suitable as a value for Express's setting `trust proxy`. */
export function trustedProxies(networks: readonly string[]): TrustsProxy {
  const trusts = proxyAddr.compile([...networks]);
  return (address) => trusts(address, 0);
}

/** Whether one of our own proxies sent the request through the plain listener. */
export function isProxied({ socket }: IncomingMessage, trusts: TrustsProxy): boolean {
  return !(socket as Partial<TLSSocket>).encrypted && trusts(socket.remoteAddress ?? '');
}

/** Stores the caller's IP address. Ignores `X-Forwarded-For` on our own TLS listener. */
export const callerAddress: RequestHandler = (request, { locals }, next) => {
  if ((request.socket as Partial<TLSSocket>).encrypted) delete request.headers['x-forwarded-for'];
  locals.address = request.ip ?? '';
  next();
};
