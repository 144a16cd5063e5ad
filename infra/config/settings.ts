import { readFileSync } from 'node:fs';

/** The exit code of a process that refuses to start by its settings (EX_CONFIG of sysexits.h). */
export const EXIT_REFUSED = 78;
/** The exit code of a process that cannot start yet: the schema is not there (EX_TEMPFAIL). */
export const EXIT_NOT_YET = 75;

/** A setting that cannot be used; the message names it and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** What a process ends with that this error keeps from starting. */
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a process that this error ends: that of a ConfigError, else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? error.exitCode : 1;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The value of a setting. Where NAME is not given, NAME_FILE may name a file that holds it, as secrets are handed to containers.
 * @throws ConfigError where that file cannot be read.
 */
export function givenIn(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`]?.trim();
  return env[name]?.trim() || (file && contentOf(`${name}_FILE`, file).trim()) || undefined;
}

/** The content of the file that a setting names. @throws ConfigError where it cannot be read. */
export function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
