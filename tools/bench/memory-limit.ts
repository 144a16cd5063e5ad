import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const V1 = '/sys/fs/cgroup/memory';
const V2 = '/sys/fs/cgroup';
const NAMES = existsSync(V1)
  ? { root: V1, limit: 'memory.limit_in_bytes', most: 'memory.max_usage_in_bytes' }
  : { root: V2, limit: 'memory.max', most: 'memory.peak' };
const MB = 1_048_576;

export interface MemoryLimit {
  /** Runs a command under the limit. */
  wrap(command: string, args: readonly string[]): { command: string; args: string[] };
  /** The most memory that the commands have held together, in MB, including the page cache. */
  mostMb(): number;
  /** Call after all commands have ended. */
  remove(): void;
}

/** A control group with a memory limit, as a container has. Needs root. The kernel kills a process that exceeds the limit. */
export function limitMemory(mb: number): MemoryLimit {
  const group = join(NAMES.root, `ringfence-bench-${process.pid}-${Date.now()}`);
  mkdirSync(group);
  writeFileSync(join(group, NAMES.limit), String(mb * MB));
  return {
    // The shell joins the group before it becomes the command, so that all memory of the command counts.
    wrap: (command, args) => ({
      command: '/bin/sh',
      args: ['-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs'), command, ...args],
    }),
    mostMb: () => Number(readFileSync(join(group, NAMES.most), 'utf8')) / MB,
    remove: () => rmdirSync(group),
  };
}
