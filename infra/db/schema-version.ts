import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import type { Queries } from './connection.ts';
import { checksumsOfFiles, checksumsOfMigrations, PROGRAM, type SchemaProgram } from './schema-program.ts';
import { appliedMigrations, schemaState, schemaThere } from './queries/deployment.ts';
import { ConfigError, EXIT_NOT_YET } from '../config/settings.ts';

const RETRY_MS = 1_000;
const NO_SUCH_TABLE = '42P01';

type Reader = Record<'db', Pick<Queries, 'one'>>;

export interface SchemaState {
  missingMigrations: number;
  missingFiles: number;
  /** Applied migrations whose text differs from the program's. */
  changed: readonly string[];
}

/** An applied migration differs from the program's, or is unknown to it, so nothing can be applied. */
export class ChangedSchemaError extends ConfigError {
  readonly changed: readonly string[];

  constructor(changed: readonly string[]) {
    const [first = '', ...others] = changed;
    const which = others.length === 0 ? `${first} differs` : `${first} and ${others.length} more differ`;
    super(
      `The database is from another state of the program: its migration ${which} from this program's. ` +
        'Before 0.1.0, use an empty database: move the data folder of npm start aside, or set DATABASE_URL (and DATABASE_MIGRATION_URL) to an empty database.',
    );
    this.changed = changed;
  }
}

/**
 * Waits while the database is unavailable.
 * @throws ChangedSchemaError @throws ConfigError with instructions if migrations, functions or triggers are missing.
 */
export async function requireSchema(services: Reader, program = PROGRAM): Promise<void> {
  const { changed, missingMigrations, missingFiles } = await whenThere(() => readSchema(services, program));
  if (changed.length > 0) throw new ChangedSchemaError(changed);
  if (missingMigrations + missingFiles === 0) return;
  const { migrations, files } = program;
  throw new ConfigError(
    `The database's schema is too old for this version: ${missingMigrations} of ${migrations.length} migrations, and ` +
      `${missingFiles} of ${files.length} files of functions and triggers, are missing. ` +
      'Run them first (npm run db:migrate, or the image with the command "migrate"), then start the process again.',
    EXIT_NOT_YET,
  );
}

/** @throws ConfigError if a table is missing because migrations are missing, else `error`. */
export async function explainMissing(error: unknown, services: Reader): Promise<never> {
  if (isNoSuchTable(error)) await requireSchema(services);
  throw error;
}

const isNoSuchTable = (error: unknown) => error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE;

/** Counts what is missing, and migrations that have changed. */
export async function countMissing(services: Reader): Promise<number> {
  const { missingMigrations, missingFiles, changed } = await readSchema(services);
  return missingMigrations + missingFiles + changed.length;
}

/** @returns the applied migrations whose text differs from the program's. */
export async function changedMigrations(db: Reader['db'], program = PROGRAM): Promise<readonly string[]> {
  return (await readSchema({ db }, program)).changed;
}

export async function readSchema({ db }: Reader, program = PROGRAM): Promise<SchemaState> {
  const [migrations, files] = [await checksumsOfMigrations(program), checksumsOfFiles(program)];
  try {
    const { missing_migrations, missing_files, changed } = await db.one(schemaState(migrations, files));
    return { missingMigrations: missing_migrations, missingFiles: missing_files, changed };
  } catch (error) {
    if (!isNoSuchTable(error)) throw error;
    return withoutChecksums({ db }, program);
  }
}

/** Earlier states of the program stored no checksums. */
async function withoutChecksums({ db }: Reader, { migrations, files }: SchemaProgram): Promise<SchemaState> {
  const { migrated, own } = await db.one(schemaThere());
  const changed = migrated && own ? (await db.one(appliedMigrations())).names : [];
  return { missingMigrations: migrations.length, missingFiles: files.length, changed };
}

/** Retries every second while the database is unavailable. */
export async function whenThere<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await sleep(RETRY_MS);
    }
  }
}
