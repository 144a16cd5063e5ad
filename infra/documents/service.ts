import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import rawBody from 'raw-body';
import { READ_AT_ONCE } from '../../domain/documents.ts';
import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';
import type { ReaderConfig } from '../config/index.ts';
import { openReader } from './index.ts';
import type { Fault } from './messages.ts';
import { poolOf, type DocumentReaders } from './pool.ts';

/*
 * In containers, readers run in a container of their own, which has no secret and no network. A worker sends documents
 * to it over a Unix socket in a shared folder. Several such containers may share the folder.
 */

/** Larger than any upload. */
const MOST_BYTES = 16_777_216;

/** Listens in the folder `config.folder`. `program` reads documents, as for `openReader`. */
export async function serveReaders(config: ReaderConfig & { folder: string }, program: URL) {
  const faults: Fault[] = [];
  const open = () => openReader(config, program, (fault) => faults.push(fault));
  const readers = poolOf(Array.from({ length: READ_AT_ONCE }, open));
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.end();
    void answer(readers, request, response).then(
      (outcome) => response.end(JSON.stringify({ outcome, faults: faults.splice(0) })),
      () => response.writeHead(503).end(),
    );
  });
  const path = socketIn(config.folder);
  // A killed process leaves its socket behind.
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    async close() {
      server.close();
      await readers.close();
      server.closeAllConnections();
    },
  };
}

/** The health check of the image computes it too. */
const socketIn = (folder: string) => join(folder, `${hostname()}.sock`);

async function answer(
  readers: DocumentReaders,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ReadOutcome> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('The worker no longer waits.')));
  const hint = new URL(request.url ?? '', 'http://reader').searchParams.get('hint') ?? undefined;
  const bytes = await rawBody(request, { limit: MOST_BYTES });
  return readers.read({ bytes, hint: hint as DocumentType | undefined, signal: gone.signal });
}
