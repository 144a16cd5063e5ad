import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/* Processes that are not children of this one: what an earlier stack left behind. */

/** When a process began, as its system tells it: with the pid, the name of one process over all time. */
export function startedAt(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** One process over all time: ids come back, but not with the same beginning. */
export interface KnownProcess {
  pid: number;
  startedAt: string | undefined;
}

/** The process that has this id now. */
export function known(pid: number): KnownProcess {
  return { pid, startedAt: startedAt(pid) };
}

/** Whether that very process still runs, and not a later one with its id. */
export function isSame({ pid, startedAt: began }: KnownProcess): boolean {
  return isRunning(pid) && startedAt(pid) === began;
}

/** Whether a process still runs; one that ended and that nobody has waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Stops processes that are not children of this one: asks, waits, then kills. */
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
    // It ended meanwhile.
  }
}
