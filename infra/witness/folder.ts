import { open, readdir, readFile, rename } from 'node:fs/promises';
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

    /** @returns undefined if there is no such file. */
    async read(name: string): Promise<string | undefined> {
      return readFile(fileOf(name), 'utf8').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return undefined;
      });
    },

    /** Without the ends of the lines. Fails if there is no such file. */
    async *lines(name: string): AsyncGenerator<string> {
      await using file = await open(fileOf(name), 'r');
      yield* file.readLines();
    },

    /** The last line, if it has at most 64 KB. A file that does not end with a whole line has none. */
    async lastLine(name: string): Promise<string | undefined> {
      await using file = await open(fileOf(name), 'r');
      const { size } = await file.stat();
      const length = Math.min(size, LONGEST_LINE);
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
      const [end, line, ...before] = buffer.toString('utf8').split('\n').toReversed();
      return end === '' && (before.length > 0 || length === size) ? line : undefined;
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
const LONGEST_LINE = 65_536;

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
