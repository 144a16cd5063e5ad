import { execFile } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = resolve(import.meta.dirname, '..', '..', '.cache', 'faketime');
const LIBRARY = 'libfaketimeMT.so.1';

/** A clock for processes with `env` in their environment. Timers still run in real time. */
export interface SettableClock {
  env: Readonly<Record<string, string>>;
  /** Sets the clock to real time plus `seconds`, and waits until processes have noticed. */
  set(seconds: number): Promise<void>;
  remove(): void;
}

/** A process may cache the time for this many seconds. */
const CACHED_S = 1;

/** Finds libfaketime at `LIBFAKETIME` or its Debian path, or downloads it once with `apt-get download`. */
export async function settableClock(): Promise<SettableClock> {
  const library = libraryHere() ?? (await fetched());
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-clock-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'clock');
  const write = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 });
  write(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: String(CACHED_S),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    async set(seconds) {
      write(seconds);
      await sleep(2 * CACHED_S * 1_000);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export function libraryHere(): string | undefined {
  const places = [process.env.LIBFAKETIME ?? '', ...globSync(`/usr/lib/*/faketime/${LIBRARY}`), join(CACHE, LIBRARY)];
  return places.find((place) => place !== '' && existsSync(place));
}

async function fetched(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-faketime-'));
  try {
    await run('apt-get', ['download', '-q', 'libfaketime'], { cwd: folder });
    const [archive] = globSync('libfaketime_*.deb', { cwd: folder });
    await run('dpkg-deb', ['-x', archive!, '.'], { cwd: folder });
    const [library] = globSync(`usr/lib/*/faketime/${LIBRARY}`, { cwd: folder });
    await mkdir(CACHE, { recursive: true });
    await cp(join(folder, library!), join(CACHE, `${LIBRARY}.new`));
    await rename(join(CACHE, `${LIBRARY}.new`), join(CACHE, LIBRARY));
    return join(CACHE, LIBRARY);
  } catch (error) {
    throw new Error('This test needs libfaketime, which apt-get could not download. Set LIBFAKETIME to its path.', {
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
