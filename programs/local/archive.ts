import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { StackError } from './processes.ts';
import { PAUSE_FILE } from './pause.ts';
import { LOCK_FILE } from './stack-lock.ts';

/* An archive is what `tar --gzip` makes of a data folder. It holds the master keys too. */

/** These belong to the processes of the stack, or say again what is in the files. */
const LEFT_OUT = [LOCK_FILE, PAUSE_FILE, 'stack.json', 'logs', 'demo'];

/** In the archive: when it was made. */
const NOTE = 'backup.json';

/** @throws StackError before the stack is stopped for an archive that cannot be written. */
export function requireTarget(folder: string, target: string): void {
  const inside = relative(folder, target);
  if (!inside.startsWith('..') && !isAbsolute(inside))
    throw new StackError(`${target} is inside the data folder. Name a file outside it, best on another disk.`);
  if (existsSync(target)) throw new StackError(`${target} exists already. Name another file.`);
}

/** Nobody may write to the folder. The file appears once it is whole and on the disk. @returns its size in bytes. */
export async function archive(folder: string, target: string): Promise<number> {
  const draft = `${target}.part-${process.pid}`;
  const left = LEFT_OUT.map((name) => `--exclude=./${name}`);
  const note = join(folder, NOTE);
  writeFileSync(note, JSON.stringify({ made_at: new Date().toISOString() }), { mode: 0o600 });
  try {
    await using out = await open(draft, 'wx', 0o600);
    await run(['--create', '--gzip', '--numeric-owner', ...left, '--directory', folder, '.'], out.fd);
    await out.sync();
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    rmSync(note);
  }
  await using parent = await open(dirname(target), 'r');
  await parent.sync();
  return (await stat(target)).size;
}

/**
 * Makes the folder, which must be empty or missing. First `begin` gets another folder with the same files, and when the
 * archive was made. @throws StackError
 */
export async function unpack(
  file: string,
  folder: string,
  begin: (folder: string, madeAt: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new StackError(
      `The data folder ${folder} is not empty. Move it aside, or set RINGFENCE_DATA to another folder.`,
    );
  await requireHarmless(file);
  const draft = join(dirname(folder), `.${basename(folder)}.part-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    await run([
      '--extract',
      '--gzip',
      '--numeric-owner',
      '--preserve-permissions',
      '--file',
      file,
      '--directory',
      draft,
    ]);
    await begin(draft, madeAt(join(draft, NOTE), file));
    rmSync(join(draft, NOTE));
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function madeAt(note: string, file: string): string {
  try {
    return z.object({ made_at: z.iso.datetime() }).parse(JSON.parse(readFileSync(note, 'utf8'))).made_at;
  } catch {
    throw new StackError(`${file} is no backup of a data folder, because it does not say when it was made.`);
  }
}

/** A file or folder of our own archives. Links could lead out of the folder, and no part of the stack makes any. */
const HARMLESS = /^[-d]\S+ .* \.\/\S*$/;

async function requireHarmless(file: string): Promise<void> {
  const { child, ended } = start(['--list', '--verbose', '--gzip', '--file', file], 'pipe');
  let bad: string | undefined;
  for await (const line of createInterface({ input: child.stdout! }))
    if (!HARMLESS.test(line) || /(?:^|\/)\.\.(?:\/|$)/.test(line.split(' ').at(-1)!)) bad ??= line;
  await ended;
  if (bad !== undefined)
    throw new StackError(
      `${file} is no backup of a data folder, because it contains something else: ${JSON.stringify(bad)}.`,
    );
}

async function run(args: readonly string[], stdout: number | 'ignore' = 'ignore'): Promise<void> {
  await start(args, stdout).ended;
}

function start(args: readonly string[], stdout: number | 'ignore' | 'pipe') {
  const child = spawn('tar', args, { env: { PATH: process.env.PATH, LC_ALL: 'C' }, stdio: ['ignore', stdout, 'pipe'] });
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-1_000)));
  const ended = once(child, 'close').then(
    ([code]) => {
      if (code !== 0) throw new StackError(`tar failed: ${said.trim().split('\n').at(-1) ?? ''}.`);
    },
    () => {
      throw new StackError('The program tar is missing. Install it.');
    },
  );
  return { child, ended };
}
