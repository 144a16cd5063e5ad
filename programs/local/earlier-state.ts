import { existsSync, renameSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Config } from '../../infra/config/index.ts';
import { ownerUrlOf } from '../../infra/db/migrate.ts';
import { changedMigrations } from '../../infra/db/schema-version.ts';
import { inShell } from './ports.ts';
import { StackError } from './processes.ts';
import { acquireStackLock, LOCK_FILE } from './stack-lock.ts';

/** The message names the command that moves the data folder aside. */
export class EarlierStateError extends StackError {
  readonly aside: string;
  readonly found: string;

  constructor(dataDir: string, command = 'npm start') {
    const aside = asideOf(dataDir);
    const found = `The data folder ${shown(dataDir)} belongs to another state of Ringfence, whose data this state cannot use`;
    const move = `mv ${inShell(shown(dataDir))} ${inShell(shown(aside))}`;
    super(`${found}; nothing in it was changed, so move it aside (${move}) and run ${command} again.`);
    this.aside = aside;
    this.found = found;
  }
}

/** Whether a PostgreSQL of an earlier start has its files in the folder. */
export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, 'postgres', 'PG_VERSION'));

/** @throws EarlierStateError */
export async function requireThisState({ database, dataDir }: Config, command?: string): Promise<void> {
  const { withDatabase } = await import('../admin/database.ts');
  const changed = await withDatabase({ url: ownerUrlOf(database) }, (db) => changedMigrations(db));
  if (changed.length > 0) throw new EarlierStateError(dataDir, command);
}

/** Asks only in a terminal. Any answer but `y` or `yes` means no. */
export async function agreesToMove({ found, aside }: EarlierStateError, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  // At the end of the input, `question` never resolves.
  const ended = new Promise<string>((resolveEnded) => prompt.once('close', () => resolveEnded('')));
  try {
    const question = `${found}.\nMove it to ${shown(aside)}, and start with an empty folder? (y/N) `;
    return /^y(es)?$/i.test((await Promise.race([prompt.question(question, { signal }), ended])).trim());
  } finally {
    prompt.close();
  }
}

/** @throws StackError if the folder cannot be moved, or if another stack has started in it meanwhile. */
export async function moveAside(dataDir: string, aside: string, log: (line: string) => void): Promise<void> {
  const lock = await acquireStackLock(dataDir, log);
  try {
    renameSync(dataDir, aside);
  } catch (error) {
    lock.release();
    throw new StackError(`The folder ${shown(dataDir)} could not be moved: ${(error as Error).message}.`);
  }
  rmSync(join(aside, LOCK_FILE), { force: true });
  log(`The folder was moved to ${shown(aside)}.`);
}

/** Where a folder goes that this state cannot use. */
export const asideOf = (folder: string) => `${resolve(folder)}.old-${stampOf(new Date())}`;

const shown = (path: string) => relative(process.cwd(), path) || path;

/** For example `20261128-173005`, in UTC. */
function stampOf(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
