import '../../infra/process/environment.ts';
import { inspect } from 'node:util';
import { readConfig } from '../../infra/config/index.ts';
import { ownerUrlOf } from '../../infra/db/migrate.ts';
import { outliveOutput } from '../../infra/process/output.ts';
import { prepareDatabase } from './prepare-database.ts';
import { settingsHere } from './right-stack.ts';
import { exitCodeOf, givenIn } from '../../infra/config/settings.ts';
import { sentenceOf } from '../../infra/process/foreseen.ts';

/** The command `npm run db:migrate`. Safe to repeat. */
async function main(): Promise<void> {
  outliveOutput();
  try {
    const config = readConfig(await settingsHere(process.env, ['database', 'migration', 'yield']), 'migrate');
    const isSaid = givenIn(process.env, 'RINGFENCE_ENV') !== undefined;
    const { rates, warning } = await prepareDatabase(config, isSaid ? config.environment : undefined);
    process.stdout.write(`The schema at ${new URL(ownerUrlOf(config.database)).host} is up to date.\n`);
    for (const { vault_type, annual_rate, from_date } of rates)
      process.stdout.write(
        `The annual interest rate of ${vault_type} vaults is ${annual_rate} from ${from_date} on.\n`,
      );
    if (warning !== undefined) process.stderr.write(`${warning}\n`);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error) ?? `The schema could not be migrated: ${inspect(error)}`}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

if (import.meta.main) await main();
