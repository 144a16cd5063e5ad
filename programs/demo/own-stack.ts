import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { GROUPS } from '../../infra/config/groups/index.ts';
import { common } from '../../infra/config/groups/process.ts';
import { readerOf, settingsIn } from '../../infra/config/reading.ts';
import { startLocalStack, type LocalStack } from '../local/main.ts';
import { besideData } from '../local/own-parts.ts';
import { inShell, settingsOnFreePorts } from '../local/ports.ts';
import { acquireStackLock, LOCK_FILE } from '../local/stack-lock.ts';

interface OwnStack {
  config: Config;
  stack: LocalStack;
  /** The command that starts this stack again. */
  again: string;
}

/** Starts a new sandbox with default settings, on free ports. Its data replaces the data of the last demo. */
export async function startOwnStack(options: { log: (line: string) => void; signal: AbortSignal }): Promise<OwnStack> {
  const { dataDir } = readerOf({ RINGFENCE_DATA: process.env.RINGFENCE_DATA })(common);
  const folder = join(dataDir, 'demo');
  await empty(folder, options.log);
  const settings = { RINGFENCE_DATA: folder, ...(await settingsOnFreePorts()) };
  // The programs of the stack read the same environment.
  for (const { variable } of [common, ...Object.values(GROUPS)].flatMap(settingsIn))
    Reflect.deleteProperty(process.env, variable);
  Object.assign(process.env, settings);
  const config = readConfig();
  const stack = await startLocalStack(config, { ...options, command: 'npm run demo' });
  const shown = { ...settings, RINGFENCE_DATA: inShell(relative(process.cwd(), folder) || folder) };
  const again = [...Object.entries(shown).map(([name, value]) => `${name}=${value}`), 'npm start'].join(' ');
  return { config, stack, again };
}

/** @throws StackError if a demo already runs on the folder. */
async function empty(folder: string, log: (line: string) => void): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const lock = await acquireStackLock(folder, log);
  for (const name of readdirSync(folder).filter((each) => each !== LOCK_FILE))
    rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(besideData(folder), { recursive: true, force: true });
  lock.release();
}
