import { openUnder, SealBrokenError, sealUnder, type SealContext } from '../../infra/keys/seal.ts';
import type { Threads } from '../../infra/threads/index.ts';
import { task } from '../../infra/threads/task.ts';

/** What a file is sealed under, and what it belongs to. */
export interface Sealing {
  secret: string;
  context: SealContext;
}

const sealTask = task<typeof sealBytes>(import.meta.url, 'sealBytes');
const openTask = task<typeof openBytes>(import.meta.url, 'openBytes');

/**
 * Seals a file in a thread: of some megabytes that takes longer than anybody else should wait.
 * @returns the sealed text in UTF-8. @throws DomainError `dependency-unavailable` when too much waits for a thread already.
 */
export async function sealFile(threads: Threads, sealing: Sealing, bytes: Uint8Array): Promise<Buffer> {
  return asBuffer(await threads.run(sealTask, { ...sealing, bytes }));
}

/** Opens what `sealFile` gave. @throws SealBrokenError; DomainError `dependency-unavailable`. */
export async function openFile(threads: Threads, sealing: Sealing, sealed: string): Promise<Buffer> {
  const bytes = await threads.run(openTask, { ...sealing, sealed });
  if (bytes === null) throw new SealBrokenError('A sealed file was changed, or belongs elsewhere.');
  return asBuffer(bytes);
}

/** The same bytes, not a copy. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** For the thread: the bytes as base64, sealed. */
export function sealBytes({ secret, context, bytes }: Sealing & { bytes: Uint8Array }): Uint8Array {
  return new TextEncoder().encode(sealUnder(secret, Buffer.from(bytes).toString('base64'), context));
}

/** For the thread; null where it does not open, since errors lose what they are on their way. */
export function openBytes({ secret, context, sealed }: Sealing & { sealed: string }): Uint8Array | null {
  try {
    return new Uint8Array(Buffer.from(openUnder(secret, sealed, context), 'base64'));
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
