import { readFileSync } from 'node:fs';

/** The exit code of a process that refuses to start because of its settings (EX_CONFIG of sysexits.h). */
export const EXIT_REFUSED = 78;
/** The exit code of a process that cannot start yet, because the schema does not exist (EX_TEMPFAIL). */
export const EXIT_NOT_YET = 75;

/** An invalid setting; the message names it and the values that it accepts. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The exit code of a process that this error prevents from starting. */
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code for a process that ends with this error: that of a ConfigError, else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? error.exitCode : 1;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The value of a setting. If NAME is not set, NAME_FILE may name a file with the value: containers get secrets this
 * way.
 * @throws ConfigError if that file cannot be read.
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
