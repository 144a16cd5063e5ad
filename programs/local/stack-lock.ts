import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackError, type Leftovers } from './processes.ts';
import { isSame, known, stopStrangers, type KnownProcess } from '../../infra/process/identity.ts';

interface StackLock {
  /** Never throws: if the file cannot be written, tries again later. */
  record(leftovers: Leftovers): void;
  release(): void;
}

interface LockContent {
  holder: KnownProcess;
  guardian?: KnownProcess;
  children: (KnownProcess & { stopSignal: NodeJS.Signals })[];
}

/** In the data folder. */
export const LOCK_FILE = 'stack.lock';
const GUARDIAN_WITHIN_MS = 90_000;
const SAVE_AGAIN_MS = 1_000;

/** Locks a data directory, and stops the processes of a killed stack. @throws StackError if another stack holds the lock. */
export async function acquireStackLock(dataDir: string, log: (line: string) => void): Promise<StackLock> {
  const file = join(dataDir, LOCK_FILE);
  const holder = known(process.pid);
  while (!create(file, { holder, children: [] })) {
    const text = read(file);
    if (text === undefined) continue;
    const content = parse(text);
    if (content !== undefined && isSame(content.holder)) {
      throw new StackError(
        `Ringfence is already running on ${dataDir} (process ${content.holder.pid}); stop it with kill ${content.holder.pid}, ` +
          'or give the new stack its own RINGFENCE_DATA and RINGFENCE_PORT_* settings.',
      );
    }
    if (content !== undefined) await clearUp(content, log);
    removeStale(file, text);
  }
  return keeperOf(file, holder, log);
}

function keeperOf(file: string, holder: KnownProcess, log: (line: string) => void): StackLock {
  let again: NodeJS.Timeout | undefined;
  const save = (text: string) => {
    const isFirst = again === undefined;
    clearTimeout(again);
    again = undefined;
    try {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    } catch (error) {
      // The children keep running, and must be recorded as soon as the disk has space again.
      if (isFirst) log(`${file} could not be written, and is tried again every second: ${(error as Error).message}`);
      again = setTimeout(() => save(text), SAVE_AGAIN_MS).unref();
    }
  };
  return {
    record({ guardian, children }) {
      const content: LockContent = { holder, children: children.map((child) => ({ ...child, ...known(child.pid) })) };
      if (guardian !== undefined) content.guardian = known(guardian);
      save(JSON.stringify(content));
    },
    release() {
      clearTimeout(again);
      for (const each of [`${file}.new`, file]) rmSync(each, { force: true });
    },
  };
}

function create(file: string, content: LockContent): boolean {
  try {
    writeFileSync(file, JSON.stringify(content), { flag: 'wx' });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // A full disk leaves an empty file.
    rmSync(file, { force: true });
    throw new StackError(`The file ${file} could not be created: ${message}.`);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parse(text: string): LockContent | undefined {
  try {
    return JSON.parse(text) as LockContent;
  } catch {
    return undefined;
  }
}

/** If the watchdog shell of a killed stack still runs, lets that shell stop the children. */
async function clearUp({ guardian, children }: LockContent, log: (line: string) => void): Promise<void> {
  const left = () => children.filter(isSame);
  if (left().length === 0 && (guardian === undefined || !isSame(guardian))) return;
  log('A previous stack on this data directory was killed; waiting until its processes have stopped ...');
  const deadline = Date.now() + GUARDIAN_WITHIN_MS;
  while (guardian !== undefined && isSame(guardian) && Date.now() < deadline) await sleep(50);
  for (const { pid, stopSignal } of left().toReversed()) await stopStrangers([pid], stopSignal, 10_000);
}

/** Renames the lock before deleting it. Otherwise, one of two starting stacks could delete the other's new lock. */
function removeStale(file: string, text: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (read(aside) === text) rmSync(aside, { force: true });
  else renameSync(aside, file);
}
