import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

function startedAt(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Systems reuse process ids, so the start time also identifies a process. */
export interface KnownProcess {
  pid: number;
  startedAt: string | undefined;
}

export function known(pid: number): KnownProcess {
  return { pid, startedAt: startedAt(pid) };
}

export function isSame({ pid, startedAt: began }: KnownProcess): boolean {
  return isRunning(pid) && startedAt(pid) === began;
}

/** On Linux, zombies do not count. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Kills the processes that still run after `withinMs`. */
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
