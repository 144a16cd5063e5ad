import { setTimeout as sleep } from 'node:timers/promises';

/** Ends only a wait that would never end, because a busy machine is slow. */
export const PATIENCE_MS = 300_000;

/** Checks a condition every `everyMs` milliseconds. @throws an error that names the condition when the time is up. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = PATIENCE_MS,
  everyMs = 100,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${withinMs / 1000} s without success for: ${what}`);
    await sleep(everyMs);
  }
}
