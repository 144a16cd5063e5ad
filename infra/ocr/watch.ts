import { workerData } from 'node:worker_threads';
import { TOO_MUCH_MEMORY, type ProcessSettings } from './messages.ts';

/*
 * Watches the reading thread from another thread, because the reading may be inside a library for seconds, or for ever.
 * Ends the process when it exceeds its memory limit, and when its parent is gone.
 */
const { parentPid, memoryMb } = workerData as ProcessSettings;
const EVERY_MS = 20;
const MB = 1_048_576;

setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > memoryMb * MB) process.kill(process.pid, TOO_MUCH_MEMORY);
}, EVERY_MS);
