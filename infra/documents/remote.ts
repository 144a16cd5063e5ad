import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'undici';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import type { ReaderConfig } from '../config/index.ts';
import { notStarted, type DocumentReader } from './index.ts';
import type { DocumentToRead, Fault } from './messages.ts';
import { serviceReply } from './replies.ts';

const MOST_REPLY_BYTES = 262_144;
/** For two attempts, after those of another document. */
const LIMITS_WAITED = 4;

/** Readers in other containers (`service.ts`). Their faults count here, because nobody watches those containers. */
export function openRemoteReader(
  config: ReaderConfig & { folder: string },
  onFault: (fault: Fault) => void,
): DocumentReader {
  const { folder, timeoutMs } = config;
  return {
    pid: undefined,
    async read(document: DocumentToRead): Promise<ReadOutcome> {
      document.signal?.throwIfAborted();
      for (const socketPath of inAnyOrder(await socketsIn(folder))) {
        const reply = await ask(socketPath, document, LIMITS_WAITED * timeoutMs);
        reply?.faults.forEach(onFault);
        if (reply !== undefined) return reply.outcome;
      }
      document.signal?.throwIfAborted();
      throw notStarted();
    },
    close: () => Promise.resolve(),
  };
}

async function socketsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.sock')).map((name) => join(folder, name));
}

const inAnyOrder = (paths: readonly string[]) =>
  paths
    .map((path) => ({ path, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ path }) => path);

/** Undefined if the service does not answer, or answers what no honest one does. */
async function ask(socketPath: string, { bytes, hint, signal }: DocumentToRead, withinMs: number) {
  const waits = { headersTimeout: withinMs, bodyTimeout: withinMs };
  const client = new Client('http://reader', { socketPath, ...waits, maxResponseSize: MOST_REPLY_BYTES });
  try {
    const path = hint === undefined ? '/' : `/?hint=${hint}`;
    const { body } = await client.request({ method: 'POST', path, body: bytes, ...(signal && { signal }) });
    return serviceReply.safeParse(await body.json()).data;
  } catch {
    return undefined;
  } finally {
    await client.destroy();
  }
}
