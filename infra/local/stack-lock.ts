import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError, type RunningChild } from './processes.ts';
import { isSame, known, stopStrangers, type KnownProcess } from '../process/identity.ts';

interface StackLock {
  /** The next start stops these processes if they still run. */
  record(children: readonly RunningChild[]): void;
  release(): void;
}

interface LockContent {
  holder: KnownProcess;
  children: (KnownProcess & RunningChild)[];
}

/** Locks a data directory, and stops the processes of a killed stack. @throws StackError if another stack holds the lock. */
export async function acquireStackLock(dataDir: string, log: (line: string) => void): Promise<StackLock> {
  const file = join(dataDir, 'stack.lock');
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
  return {
    record(children) {
      const content: LockContent = { holder, children: children.map((child) => ({ ...child, ...known(child.pid) })) };
      writeFileSync(`${file}.new`, JSON.stringify(content));
      renameSync(`${file}.new`, file);
    },
    release: () => rmSync(file, { force: true }),
  };
}

function create(file: string, content: LockContent): boolean {
  try {
    writeFileSync(file, JSON.stringify(content), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
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

async function clearUp({ children }: LockContent, log: (line: string) => void): Promise<void> {
  const left = children.filter(isSame);
  if (left.length === 0) return;
  log('A previous stack on this data directory was killed; waiting until its processes have stopped ...');
  for (const { pid, stopSignal } of left.toReversed()) await stopStrangers([pid], stopSignal, 10_000);
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
