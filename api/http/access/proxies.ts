import type { RequestHandler } from 'express';
import type { TLSSocket } from 'node:tls';
import proxyAddr from 'proxy-addr';

export type TrustsProxy = (address: string) => boolean;

/** Suitable as a value for Express's setting `trust proxy`. */
export function trustedProxies(networks: readonly string[]): TrustsProxy {
  const trusts = proxyAddr.compile([...networks]);
  return (address) => trusts(address, 0);
}

/** Ignores `X-Forwarded-For` on our own TLS listener. */
export const callerAddress: RequestHandler = (request, { locals }, next) => {
  if ((request.socket as Partial<TLSSocket>).encrypted) delete request.headers['x-forwarded-for'];
  locals.address = request.ip ?? '';
  next();
};
