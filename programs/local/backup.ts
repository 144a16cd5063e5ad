import '../../infra/process/environment.ts';
import { resolve } from 'node:path';
import { common } from '../../infra/config/groups/process.ts';
import { readerOf } from '../../infra/config/reading.ts';
import { archive, requireTarget } from './archive.ts';
import { fileGiven, runHere } from './command.ts';
import { hasDatabase } from './earlier-state.ts';
import { whileStopped } from './pause.ts';
import { StackError } from './processes.ts';
import { runningStack } from './stack-file.ts';

const USAGE = `npm run backup -- FILE

Stops the stack on the data folder if it runs, writes the folder to FILE, and starts the stack again. FILE contains the master keys.`;

await runHere(async (log) => {
  const target = resolve(fileGiven(USAGE));
  const { dataDir } = readerOf(process.env)(common);
  if (!hasDatabase(dataDir) || runningStack(dataDir)?.elsewhere.includes('DATABASE_URL') === true)
    throw new StackError(`${dataDir} holds no database. Back up your PostgreSQL with its own tools.`);
  requireTarget(dataDir, target);
  const began = performance.now();
  const bytes = await whileStopped(dataDir, log, () => archive(dataDir, target));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  log(
    `${target}: ${(bytes / 1_048_576).toFixed(1)} MiB in ${seconds} s. It contains the master keys, so keep it secret.`,
  );
});
