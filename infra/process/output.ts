import { write as writeToFile } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const write = promisify(writeToFile);
/** The reader of a pipe has not read yet. */
const BUSY = ['EAGAIN', 'EBUSY'];
const TRY_AGAIN_MS = 20;

export interface Written {
  /** In bytes. */
  written: number;
  /** Why the rest could not be written. */
  error?: NodeJS.ErrnoException;
}

/**
 * Waits for a reader that is slow. Node's own streams report success even if a full disk took only a part of the text.
 */
export async function writeOut(fd: number, bytes: Uint8Array): Promise<Written> {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += (await write(fd, bytes, written)).bytesWritten;
    } catch (error) {
      const failed = error as NodeJS.ErrnoException;
      if (!BUSY.includes(failed.code ?? '')) return { written, error: failed };
      await sleep(TRY_AGAIN_MS);
    }
  }
  return { written };
}

/** Prints the output of a command. Resolves to the error if it could not all be printed. */
export async function print(fd: 1 | 2, text: string): Promise<NodeJS.ErrnoException | undefined> {
  return (await writeOut(fd, Buffer.from(text))).error;
}

/** Such as "no space left on device (ENOSPC)", without the name of the system call. */
export function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const [, words] = /^\w+: (.*), write$/.exec(message) ?? [];
  return words === undefined || code === undefined ? message : `${words} (${code})`;
}

/** Nobody reads the output any more, as after `| head`. */
export const isUnread = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE';

/**
 * Keeps this process running when the disk of its output is full. When the reader of its output is gone, calls `unread`.
 * Also makes pipes non-blocking: otherwise, a reader that hangs would block a thread, and this process could not exit.
 */
export function outliveOutput(unread: () => void = () => undefined): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => isUnread(error) && unread());
}
