import { execFileSync } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = Buffer.alloc(4_096);

/** Moves a folder to a file system of its own. Only root can mount. `size` is such as "256m". */
export function moveToSmallDisk(folder: string, size: string): void {
  const { uid, gid, mode } = statSync(folder);
  const bits = (mode & 0o777).toString(8);
  renameSync(folder, `${folder}.before`);
  execFileSync('install', ['-d', '-m', bits, '-o', String(uid), '-g', String(gid), folder]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=${bits},uid=${uid},gid=${gid}`, 'small-disk', folder]);
  execFileSync('cp', ['-a', `${folder}.before/.`, folder]);
  rmSync(`${folder}.before`, { recursive: true });
}

export function unmount(folder: string): void {
  execFileSync('umount', [folder]);
}

/** @returns a function that frees the space */
export function fill(folder: string): () => void {
  const filler = join(folder, 'filler');
  const file = openSync(filler, 'w');
  try {
    for (;;) writeSync(file, PAGE);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  return () => rmSync(filler);
}
