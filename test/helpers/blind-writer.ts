import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { Operation } from '../../api/http/contract.ts';
import { vaultClient, type TestApi } from './api.ts';

/** An answer as sent over the wire, with its header names in lower case. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A TLS connection whose owner decides when to read, like a client that sends its whole body first. */
export interface BlindWriter {
  /** Resolves when the bytes have left this process. */
  write(bytes: string | Buffer): Promise<void>;
  /** Starts to read, and returns the next answer. @throws if the connection ends before it. */
  answer(): Promise<RawAnswer>;
  /** Starts to read, and resolves when the server has ended its side. */
  ended(): Promise<void>;
  destroy(): void;
}

/** Opens a connection to the API, with the vault's client certificate. */
export async function blindWriter(api: Pick<TestApi, 'url' | 'services'>): Promise<BlindWriter> {
  const ca = await readFile(api.services.config.api.tls.ca);
  const port = Number(new URL(api.url).port);
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca, ...(await vaultClient()) });
  await once(socket, 'secureConnect');
  return writerOn(socket);
}

function writerOn(socket: TLSSocket): BlindWriter {
  let received = Buffer.alloc(0);
  let failure: Error | undefined;
  socket.on('error', (error) => (failure = error));
  const over = () => socket.readableEnded || socket.destroyed;
  const read = () => {
    if (socket.listenerCount('data') === 0) socket.on('data', (chunk: Buffer) => (received = join(received, chunk)));
  };
  const next = () =>
    new Promise<void>((resolve) => {
      for (const event of ['data', 'end', 'close']) socket.once(event, () => resolve());
      if (over()) resolve();
    });
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error == null ? resolve() : reject(error)));
      }),
    async answer() {
      read();
      for (;;) {
        const found = firstAnswer(received);
        if (found !== undefined) {
          received = received.subarray(found.bytes);
          if (found.answer.status !== 100) return found.answer;
        } else if (over()) throw new Error('the connection ended without an answer', { cause: failure });
        else await next();
      }
    },
    async ended() {
      read();
      while (!over()) await next();
    },
    destroy: () => socket.destroy(),
  };
}

const join = (before: Buffer, chunk: Buffer) => Buffer.concat([before, chunk]);

function firstAnswer(received: Buffer): { answer: RawAnswer; bytes: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [first = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  ) as RawAnswer['headers'];
  const bytes = headEnd + 4 + Number(headers['content-length'] ?? 0);
  if (received.length < bytes) return undefined;
  const text = received.subarray(headEnd + 4, bytes).toString();
  return { answer: { status: Number(first.split(' ')[1]), headers, text }, bytes };
}

/** The head of a request. The empty line that ends it is left out if `more` follows. */
export function headOf(target: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A request of the contract, with placeholders for its path parameters. */
export function targetOf({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]+\}/g, 'x')}`;
}

/** The media type of an operation's body, and its beginning: any number of the letter x may follow. */
export function beginningOf({ bodyTypes }: Operation): { type: string; beginning: string } {
  const [type = ''] = bodyTypes;
  if (type !== 'multipart/form-data') return { type, beginning: type.includes('json') ? '"' : 'a=' };
  const beginning = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
  return { type: `${type}; boundary=b`, beginning };
}

/** Bytes as one chunk of a chunked body; no bytes end the body. */
export function chunkOf(bytes: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')]);
}
