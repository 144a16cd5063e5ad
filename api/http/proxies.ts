import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import proxyAddr from 'proxy-addr';

/** Whether the machine with this address is one of our own proxies. */
export type TrustsProxy = (address: string) => boolean;

/** Proxies by their addresses or networks: a value for Express's `trust proxy`. */
export function trustedProxies(networks: readonly string[]): TrustsProxy {
  const trusts = proxyAddr.compile([...networks]);
  return (address) => trusts(address, 0);
}

/** Whether a request came from one of our own proxies, by the plain listener that is there for them. */
export function isProxied({ socket }: IncomingMessage, trusts: TrustsProxy): boolean {
  return !(socket as Partial<TLSSocket>).encrypted && trusts(socket.remoteAddress ?? '');
}

/**
 * Keeps the address of the caller, because `request.ip` works it out each time that it is read. A caller that ends TLS here speaks
 * for itself, so its `X-Forwarded-For` is ignored.
 */
export const callerAddress: RequestHandler = (request, { locals }, next) => {
  if ((request.socket as Partial<TLSSocket>).encrypted) delete request.headers['x-forwarded-for'];
  locals.address = request.ip ?? '';
  next();
};
