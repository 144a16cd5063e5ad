import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/* Identifies and stops processes that are not children of this process, such as those of an earlier stack. */

/** The start time of a process in the system's format. Undefined if the process does not exist. */
function startedAt(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Identifies a process by its id and start time, because systems reuse process ids. */
export interface KnownProcess {
  pid: number;
  startedAt: string | undefined;
}

/** Returns the process that has this id now, with its start time. */
export function known(pid: number): KnownProcess {
  return { pid, startedAt: startedAt(pid) };
}

/**
 * Whether this process still runs. A later process with the same id has a different start time, and so does not count.
 */
export function isSame({ pid, startedAt: began }: KnownProcess): boolean {
  return isRunning(pid) && startedAt(pid) === began;
}

/** Whether a process runs. Zombies do not count. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Sends `signal` to processes, waits up to `withinMs`, and kills the processes that still run. */
export async function stopStrangers(pids: readonly number[], signal: NodeJS.Signals, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (const pid of pids) send(pid, signal);
  while (pids.some(isRunning) && Date.now() < deadline) await sleep(20);
  for (const pid of pids.filter(isRunning)) send(pid, 'SIGKILL');
  while (pids.some(isRunning) && Date.now() < deadline + 5_000) await sleep(20);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended since it was listed.
  }
}
