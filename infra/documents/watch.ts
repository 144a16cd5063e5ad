import { workerData } from 'node:worker_threads';
import { TOO_MUCH_MEMORY, type ProcessSettings } from './messages.ts';

/* Runs in a thread of its own, because a library may occupy the reading thread for a long time. */
const { parentPid, memoryMb } = workerData as ProcessSettings;
const EVERY_MS = 20;
const MB = 1_048_576;

setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > memoryMb * MB) process.kill(process.pid, TOO_MUCH_MEMORY);
}, EVERY_MS);
