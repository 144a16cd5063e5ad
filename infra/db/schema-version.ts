import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import type { Queries } from './connection.ts';
import { missingMigrations, neededMigrations } from './statements/operations.ts';
import { ConfigError, EXIT_NOT_YET } from '../config/settings.ts';

const ASK_AGAIN_MS = 1_000;
const NO_SUCH_TABLE = '42P01';

interface Asked {
  db: Pick<Queries, 'one'>;
}

/** Waits while the database is unavailable. @throws ConfigError with instructions if migrations are missing. */
export async function requireSchema(services: Asked): Promise<void> {
  const missing = await whenThere(() => countMissing(services));
  if (missing === 0) return;
  throw new ConfigError(
    `The database's schema is too old for this version: ${missing} of ${neededMigrations.length} migrations are missing. ` +
      'Run them first (npm run db:migrate, or the image with the command "migrate"), then start the process again.',
    EXIT_NOT_YET,
  );
}

/** @throws ConfigError if a table is missing because migrations are missing, else `error`. */
export async function explainMissing(error: unknown, services: Asked): Promise<never> {
  if (isNoSuchTable(error)) await requireSchema(services);
  throw error;
}

const isNoSuchTable = (error: unknown) => error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE;

export async function countMissing({ db }: Asked): Promise<number> {
  try {
    return (await db.one(missingMigrations(neededMigrations))).missing;
  } catch (error) {
    if (isNoSuchTable(error)) return neededMigrations.length;
    throw error;
  }
}

/** Retries every second while the database is unavailable. */
export async function whenThere<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await sleep(ASK_AGAIN_MS);
    }
  }
}
