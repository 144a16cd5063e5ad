import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../domain/errors.ts';
import { missingMigrations, neededMigrations } from './db/statements/operations.ts';
import type { Services } from './services.ts';
import { ConfigError } from './settings.ts';

const ASK_AGAIN_MS = 1_000;
const NO_SUCH_TABLE = '42P01';

/**
 * Looks whether the database has every migration that this version needs; it may have later ones. Waits while it is away.
 * @throws ConfigError with what to do, where the schema is too old.
 */
export async function requireSchema(services: Pick<Services, 'db'>): Promise<void> {
  const missing = await missingNow(services);
  if (missing === 0) return;
  throw new ConfigError(
    `The database's schema is too old for this version: ${missing} of ${neededMigrations.length} migrations are missing. ` +
      'Run them first (npm run db:migrate, or the image with the command "migrate"), then start this again.',
  );
}

async function missingNow({ db }: Pick<Services, 'db'>): Promise<number> {
  for (;;) {
    try {
      return (await db.one(missingMigrations, [neededMigrations])).missing;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE) return neededMigrations.length;
      if (!(error instanceof DomainError)) throw error;
      await sleep(ASK_AGAIN_MS);
    }
  }
}
