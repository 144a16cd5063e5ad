import { Agent, request as sendHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Fetch } from './retry.ts';

/** TLS settings in PEM format. */
export interface TlsOptions {
  /** The CA certificates to trust, instead of the system's. */
  ca?: string | Uint8Array;
  /** The client certificate, which the PII vault requires. Needs `key`. */
  cert?: string | Uint8Array;
  key?: string | Uint8Array;
  passphrase?: string;
}

/**
 * A `fetch` for Node that presents a client certificate or trusts a private CA, over TLS 1.3.
 * Node's own `fetch` cannot present a client certificate without another package.
 * Idle connections stay open, but do not keep the process alive.
 */
export function tlsFetch(tls: TlsOptions): Fetch {
  const agent = new Agent({ ...pem(tls), keepAlive: true, minVersion: 'TLSv1.3' });
  return async (request) => {
    const body = new Uint8Array(await request.arrayBuffer());
    return new Promise<Response>((done, fail) => {
      const { method, url, signal } = request;
      const headers = Object.fromEntries(request.headers);
      if (body.byteLength > 0) headers['content-length'] = String(body.byteLength);
      const sending = sendHttps(url, { method, headers, agent, signal }, (answer) => {
        const { statusCode = 0, statusMessage = '', headersDistinct } = answer;
        const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        const isEmpty = [204, 205, 304].includes(statusCode);
        if (isEmpty) answer.resume();
        const stream = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
        done(
          new Response(stream as ConstructorParameters<typeof Response>[0], {
            status: statusCode,
            statusText: statusMessage,
            headers: pairs,
          }),
        );
      });
      sending.once('error', fail);
      sending.end(body);
    });
  };
}

function pem({ ca, cert, key, passphrase }: TlsOptions) {
  const text = (given: string | Uint8Array) => (typeof given === 'string' ? given : new TextDecoder().decode(given));
  return {
    ...(ca !== undefined && { ca: text(ca) }),
    ...(cert !== undefined && { cert: text(cert) }),
    ...(key !== undefined && { key: text(key) }),
    ...(passphrase !== undefined && { passphrase }),
  };
}
