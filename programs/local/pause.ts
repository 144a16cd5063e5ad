import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSame, known, type KnownProcess } from '../../infra/process/identity.ts';
import { StackError } from './processes.ts';
import { runningStack } from './stack-file.ts';
import { acquireStackLock } from './stack-lock.ts';

/*
 * A backup needs files that nobody writes. So it asks the running stack to stop its parts, and the stack starts them
 * again when the backup, or its process, has ended. Until then the stack keeps its lock.
 */

interface Pause {
  by: KnownProcess;
  state: 'asked' | 'stopped' | 'over';
}

/** In the data folder. */
export const PAUSE_FILE = 'pause.json';
const SIGNAL = 'SIGUSR2';
const LOOK_MS = 50;
const STOPPED_WITHIN_MS = 120_000;

/** In the stack's process. `pause` stops the parts, waits for its argument, and starts them. @returns what ends the listening. */
export function listenForPauses(dataDir: string, pause: (over: () => Promise<void>) => Promise<void>): () => void {
  const file = join(dataDir, PAUSE_FILE);
  let running = false;
  const onSignal = () => {
    const asked = read(file);
    if (running || asked?.state !== 'asked') return;
    running = true;
    const over = async () => {
      write(file, { ...asked, state: 'stopped' });
      while (isSame(asked.by) && read(file)?.state === 'stopped') await sleep(LOOK_MS);
    };
    void pause(over).finally(() => {
      running = false;
      rmSync(file, { force: true });
    });
  };
  process.on(SIGNAL, onSignal);
  return () => process.off(SIGNAL, onSignal);
}

/**
 * Runs `work` while no stack writes to the folder. Waits until the parts run again. @throws StackError if they do not
 * stop, or do not start again.
 */
export async function whileStopped<T>(
  dataDir: string,
  log: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const stack = runningStack(dataDir);
  if (stack === undefined) {
    const lock = await acquireStackLock(dataDir, log);
    return work().finally(() => lock.release());
  }
  const file = join(dataDir, PAUSE_FILE);
  const other = read(file);
  if (other !== undefined && isSame(other.by))
    throw new StackError(`Another backup of ${dataDir} runs (process ${other.by.pid}).`);
  write(file, { by: known(process.pid), state: 'asked' });
  process.kill(stack.process.pid, SIGNAL);
  log('Stopping the stack ...');
  const holder = { startedAt: undefined, ...stack.process };
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  while (read(file)?.state !== 'stopped') {
    if (!isSame(holder) || Date.now() > deadline) {
      rmSync(file, { force: true });
      throw new StackError('The stack did not stop its parts. Nothing was backed up.');
    }
    await sleep(LOOK_MS);
  }
  try {
    return await work();
  } finally {
    write(file, { by: known(process.pid), state: 'over' });
    log('Starting the stack again ...');
    while (read(file) !== undefined && isSame(holder)) await sleep(LOOK_MS);
    if (!isSame(holder)) log('The stack ended. Its terminal says why. Start it with npm start.');
  }
}

function read(file: string): Pause | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Pause;
  } catch {
    return undefined;
  }
}

function write(file: string, pause: Pause): void {
  writeFileSync(`${file}.new`, JSON.stringify(pause), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
