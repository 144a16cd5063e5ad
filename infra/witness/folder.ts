import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

type Text = string | AsyncIterable<string>;

export type WitnessFolder = ReturnType<typeof openFolder>;

/** The folder `CHECKPOINTS`. A write that has resolved survives a power failure. */
export function openFolder(path: string) {
  const fileOf = (name: string) => join(path, name);
  return {
    path,
    /** Sorted by name. Without files whose writing never ended. */
    async list(prefix: string): Promise<string[]> {
      const names = await readdir(path);
      return names.filter((name) => name.startsWith(prefix) && !name.endsWith(DRAFT)).toSorted();
    },

    changedAt: async (name: string): Promise<Date> => (await stat(fileOf(name))).mtime,

    /** @returns undefined if there is no such file. */
    async read(name: string): Promise<string | undefined> {
      return readFile(fileOf(name), 'utf8').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return undefined;
      });
    },

    /** Without a last line that has no end, because a crash left it, or somebody writes it now. */
    lines: (name: string) => wholeLines(fileOf(name)),

    /** Undefined in an empty file. */
    async lastLine(name: string): Promise<string | undefined> {
      await using handle = await open(fileOf(name), 'r');
      const end = await endOfLines(handle);
      const start = await endOfLines(handle, end - 1);
      const { buffer } = await handle.read(Buffer.alloc(Math.max(0, end - 1 - start)), 0, undefined, start);
      return end === 0 ? undefined : buffer.toString('utf8');
    },

    /** Cuts off a last line that has no end. */
    async mend(name: string): Promise<void> {
      await using handle = await open(fileOf(name), 'r+');
      const end = await endOfLines(handle);
      if (end === (await handle.stat()).size) return;
      await handle.truncate(end);
      await handle.sync();
    },

    /** Readers see the old text or the new text, and never a part. */
    async replace(name: string, text: Text): Promise<void> {
      const draft = fileOf(`${name}${DRAFT}`);
      await written(draft, 'w', text);
      await rename(draft, fileOf(name));
      await synced(path);
    },

    /** Appends whole lines. A crash can leave a part of the last line. */
    async append(name: string, lines: readonly string[]): Promise<void> {
      await written(fileOf(name), 'a', lines.map((line) => `${line}\n`).join(''));
      await synced(path);
    },
  };
}

const DRAFT = '.draft';
const NEWLINE = '\n'.charCodeAt(0);
const BLOCK = 65_536;

async function* wholeLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** The byte after the last newline before `before`. */
async function endOfLines(handle: FileHandle, before?: number): Promise<number> {
  const block = Buffer.alloc(BLOCK);
  for (let end = before ?? (await handle.stat()).size; end > 0;) {
    const start = Math.max(0, end - BLOCK);
    const { bytesRead } = await handle.read(block, 0, end - start, start);
    const found = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (found >= 0) return start + found + 1;
    end = start;
  }
  return 0;
}

async function written(file: string, flags: 'a' | 'w', text: Text): Promise<void> {
  await using handle = await open(file, flags, 0o600);
  await handle.writeFile(text);
  await handle.sync();
}

async function synced(folder: string): Promise<void> {
  // On Windows a folder cannot be opened, and needs no sync.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
