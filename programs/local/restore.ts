import '../../infra/process/environment.ts';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { unpack } from './archive.ts';
import { fileGiven, runHere } from './command.ts';
import { requireThisState } from './earlier-state.ts';
import { ownParts } from './own-parts.ts';
import { isOpen } from './ports.ts';
import { postgresSpec } from './postgres.ts';
import { createSupervisor, StackError } from './processes.ts';

const USAGE = `npm run restore -- FILE

Makes the data folder, which must be empty, from a file of npm run backup. Nothing is paid from it before
npm run admin -- restore finish.`;
const ADMIN = resolve(import.meta.dirname, '../admin/main.ts');

interface RestoreOptions {
  log: (line: string) => void;
  /** Tests can replace the command. Of the stack, only PostgreSQL runs. */
  begin?: (config: Config, madeAt: string) => Promise<string>;
}

/** Nothing is kept if the restore cannot begin, so no stack can start before. @throws StackError */
export async function restoreFrom(file: string, config: Config, options: RestoreOptions): Promise<void> {
  const { log, begin = beginByCommand } = options;
  const port = config.stack.postgresPort;
  if (!ownParts(config).postgres)
    throw new StackError('DATABASE_URL names a PostgreSQL of your own. Restore it with its own tools.');
  if (await isOpen('localhost', port))
    throw new StackError(`Port ${port} is in use. Stop the stack that runs here, or set RINGFENCE_PORT_POSTGRES.`);
  await unpack(file, config.dataDir, async (dataDir, madeAt) => {
    const supervisor = createSupervisor({ log, restart: false });
    try {
      const files = { dir: join(dataDir, 'postgres'), logFile: join(dataDir, 'logs', 'postgres.log') };
      await supervisor.start(postgresSpec({ ...files, port }));
      await requireThisState({ ...config, dataDir }, 'npm run restore');
      log(await begin({ ...config, dataDir }, madeAt));
    } finally {
      await supervisor.stop();
    }
  });
}

async function beginByCommand({ dataDir, stack }: Config, madeAt: string): Promise<string> {
  const env = { RINGFENCE_DATA: dataDir, RINGFENCE_PORT_POSTGRES: String(stack.postgresPort) };
  const command = [ADMIN, 'restore', 'begin', '--backup-at', madeAt];
  const { failed, stdout, stderr } = await execa(process.execPath, command, { env, reject: false, stdin: 'ignore' });
  if (failed) throw new StackError(`The restore could not begin, so nothing was kept. ${stderr.trim()}`);
  return stdout;
}

if (import.meta.main)
  await runHere(async (log) => {
    const config = readConfig();
    await restoreFrom(resolve(fileGiven(USAGE)), config, { log });
    log(`Restored ${config.dataDir}. Start it with npm start, and go on with npm run admin -- restore compare.`);
  });
