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
  return env[name]?.trim() || contentOf(`${name}_FILE`, env[`${name}_FILE`]?.trim());
}

function contentOf(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ConfigError(`${name} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
