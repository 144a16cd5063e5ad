import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { Operation } from '../../api/http/contract.ts';
import { vaultClient, type TestApi } from './api.ts';

/** Header names are in lower case. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A TLS client that can send its whole body before it reads. */
export interface BlindWriter {
  write(bytes: string | Buffer): Promise<void>;
  /** Starts to read, and returns the next final response. */
  answer(): Promise<RawAnswer>;
  /** Starts to read, and resolves when the server has closed its side. */
  ended(): Promise<void>;
  destroy(): void;
}

export async function blindWriter(
  api: Pick<TestApi, 'url' | 'services'>,
  localAddress = '127.0.0.1',
): Promise<BlindWriter> {
  const ca = await readFile(api.services.config.api.tls.ca);
  const port = Number(new URL(api.url).port);
  const from = { host: '127.0.0.1', servername: 'localhost', localAddress };
  const socket = connect({ ...from, port, ca, ...(await vaultClient()) });
  await once(socket, 'secureConnect');
  return writerOn(socket);
}

/** Opens writers, which end after each test. */
export function blindWriters(api: Pick<TestApi, 'url' | 'services'>): (from?: string) => Promise<BlindWriter> {
  const writers: BlindWriter[] = [];
  afterEach(() => {
    for (const writer of writers.splice(0)) writer.destroy();
  });
  return async (from) => {
    const writer = await blindWriter(api, from);
    writers.push(writer);
    return writer;
  };
}

function writerOn(socket: TLSSocket): BlindWriter {
  let received = Buffer.alloc(0);
  let failure: Error | undefined;
  socket.on('error', (error) => (failure = error));
  const over = () => socket.readableEnded || socket.destroyed;
  const read = () => {
    if (socket.listenerCount('data') > 0) return;
    socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
  };
  const next = () =>
    new Promise<void>((resolve) => {
      const events = ['data', 'end', 'close'];
      const done = () => {
        for (const event of events) socket.off(event, done);
        resolve();
      };
      for (const event of events) socket.on(event, done);
      if (over()) done();
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

export function headOf(target: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export function targetOf({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]+\}/g, 'x')}`;
}

/** Returns a body's media type and a valid beginning, which any number of the letter x can follow. */
export function beginningOf({ bodyTypes }: Operation): { type: string; beginning: string } {
  const [type = ''] = bodyTypes;
  if (type !== 'multipart/form-data') return { type, beginning: type.includes('json') ? '"' : 'a=' };
  const beginning = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
  return { type: `${type}; boundary=b`, beginning };
}

/** Encodes one chunk of a chunked body. An empty chunk ends the body. */
export function chunkOf(bytes: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')]);
}
