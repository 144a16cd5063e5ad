import { ConfigError, readConfig } from './config.ts';
import { migrate } from './db/migrate.ts';
import { exitCodeOf } from './settings.ts';

/** `npm run db:migrate`: brings the schema of the configured database up to date; does nothing where it is. */
async function main(): Promise<void> {
  try {
    const config = readConfig(process.env, 'migrate');
    await migrate(config);
    process.stdout.write(`The schema at ${new URL(config.database.url).host} is up to date.\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = error instanceof ConfigError ? reason : `The schema could not be brought up to date: ${reason}.`;
    process.stderr.write(`${sentence}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

if (import.meta.main) await main();
