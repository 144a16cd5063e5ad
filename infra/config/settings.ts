import { readFileSync } from 'node:fs';

/** The exit code of a process that refuses its settings (EX_CONFIG of sysexits.h). */
export const EXIT_REFUSED = 78;
/** The exit code of a process that starts before the database schema is up to date (EX_TEMPFAIL). */
export const EXIT_NOT_YET = 75;

/** A process cannot start with its settings, files or database schema. The message says what to correct. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a process that this error ends: the code of a ConfigError, otherwise 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? error.exitCode : 1;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value of the setting NAME, or the content of the file that NAME_FILE names. Containers receive secrets as files.
 * @throws ConfigError if the file cannot be read.
 */
export function givenIn(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`]?.trim();
  return env[name]?.trim() || (file && contentOf(`${name}_FILE`, file).trim()) || undefined;
}

/** Reads the file that a setting names. @throws ConfigError if the file cannot be read. */
export function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
