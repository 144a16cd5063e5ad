import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSame, known, type KnownProcess } from '../process/identity.ts';

interface Holder extends KnownProcess {
  host: string;
  token: string;
}

const LOOK_EVERY_MS = 25;
const WAIT_AT_MOST_MS = 10_000;

/** Takes over a dead process's lock only on this machine, because other machines' processes cannot be checked. */
export async function lockFile<T>(path: string, work: () => Promise<T>, withinMs = WAIT_AT_MOST_MS): Promise<T> {
  const holder: Holder = { host: hostname(), ...known(process.pid), token: randomBytes(16).toString('hex') };
  const deadline = Date.now() + withinMs;
  while (!(await taken(path, holder))) {
    await freeOfTheDead(path);
    if (Date.now() > deadline) throw new Error(await saying(path));
    await sleep(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** A hard link, so that readers never see a half-written file. */
async function taken(path: string, holder: Holder): Promise<boolean> {
  const draft = `${path}.${holder.token}`;
  await writeFile(draft, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Checks again under `.clearing`, so that no process removes a new lock. */
async function freeOfTheDead(path: string): Promise<void> {
  if (!(await isDead(path))) return;
  const clearing = `${path}.clearing`;
  try {
    await writeFile(clearing, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  try {
    if (await isDead(path)) await rm(path, { force: true });
  } finally {
    await rm(clearing, { force: true });
  }
}

async function isDead(path: string): Promise<boolean> {
  const holder = await holderOf(path);
  if (holder === undefined || holder.host !== hostname()) return false;
  return !isSame(holder);
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

async function saying(path: string): Promise<string> {
  const holder = await holderOf(path);
  const by = holder === undefined ? 'another process' : `process ${holder.pid} of ${holder.host}`;
  return `${path} is locked by ${by}. If that process is no longer running, remove ${path} and ${path}.clearing.`;
}
