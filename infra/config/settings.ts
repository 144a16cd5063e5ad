import { readFileSync } from 'node:fs';
import { Foreseen } from '../process/foreseen.ts';

/** For refused settings: EX_CONFIG of sysexits.h. */
export const EXIT_REFUSED = 78;
/** For a schema that is not up to date yet: EX_TEMPFAIL of sysexits.h. */
export const EXIT_NOT_YET = 75;

/** The message says what to correct. */
export class ConfigError extends Foreseen {
  override readonly name = 'ConfigError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_REFUSED) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? error.exitCode : 1;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads NAME, or the file that NAME_FILE names, because containers receive secrets as files. */
export function givenIn(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`]?.trim();
  return env[name]?.trim() || (file && contentOf(`${name}_FILE`, file).trim()) || undefined;
}

export function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
