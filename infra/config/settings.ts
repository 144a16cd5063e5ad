import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** The exit code of a process that refuses to start by its settings (EX_CONFIG of sysexits.h). */
export const EXIT_REFUSED = 78;
/** The exit code of a process that cannot start yet: the schema is not there (EX_TEMPFAIL). */
export const EXIT_NOT_YET = 75;

/** A setting that cannot be used; the message names it, its value and what it takes. */
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
export type Settings = ReturnType<typeof settingsOf>;

/**
 * Reads settings by name, each by its kind. Where NAME is not given, NAME_FILE may name a file that holds the value, as
 * secrets are handed to containers. Every reader throws a ConfigError for a value that it does not take.
 * `onRead` is called with the name of each setting that is read.
 */
export function settingsOf(env: Environment, onRead: (name: string) => void = () => undefined) {
  const given = (name: string) => {
    onRead(name);
    return env[name]?.trim() || contentOf(`${name}_FILE`, env[`${name}_FILE`]?.trim());
  };
  const wrong = (name: string, takes: string) =>
    new ConfigError(`${name} is "${given(name)}", but it takes ${takes}. Correct it or unset it for the default.`);

  return {
    text: (name: string, fallback: string): string => given(name) ?? fallback,
    optional: (name: string): string | undefined => given(name),
    optionalUrl(name: string, protocols: readonly string[]): string | undefined {
      return given(name) === undefined ? undefined : this.url(name, '', protocols);
    },
    /** Addresses of machines, or of networks as in 10.0.0.0/8, with commas between. */
    networks(name: string, fallback: string): readonly string[] {
      const listed = (given(name) ?? fallback).split(',').map((part) => part.trim());
      const isNetwork = (text: string) => {
        const [address = '', bits, ...rest] = text.split('/');
        const family = isIP(address);
        const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
        return family !== 0 && fits && rest.length === 0;
      };
      if (!listed.every(isNetwork)) throw wrong(name, 'addresses or networks such as 10.0.0.0/8, with commas between');
      return listed;
    },
    /** Words with commas between, or `none`. */
    someOf<const T extends string>(name: string, choices: readonly T[], fallback: readonly T[]): readonly T[] {
      const value = given(name);
      if (value === undefined) return fallback;
      const words = value === 'none' ? [] : value.split(',').map((word) => word.trim());
      const known = choices.filter((choice) => words.includes(choice));
      if (known.length !== new Set(words).size)
        throw wrong(name, `some of ${choices.join(', ')} with commas between, or none`);
      return known;
    },
    oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
      const value = given(name) ?? fallback;
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) throw wrong(name, `one of ${choices.join(', ')}`);
      return choice;
    },
    count(name: string, fallback: number, { least, most }: { least: number; most: number }): number {
      const value = given(name);
      if (value === undefined) return fallback;
      const number = Number(value);
      if (!/^\d+$/.test(value) || number < least || number > most)
        throw wrong(name, `a whole number, ${least} to ${most}`);
      return number;
    },
    /** A decimal from 0 to 1, as text, so that it is exactly what was written. */
    ratio(name: string, fallback: string, { decimals }: { decimals: number }): string {
      const value = given(name) ?? fallback;
      const fraction = value.split('.', 2)[1] ?? '';
      if (!/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) || fraction.length > decimals)
        throw wrong(name, `a decimal from 0 to 1 with at most ${decimals} decimals, such as 0.0410`);
      return value;
    },
    port(name: string, fallback: number): number {
      return this.count(name, fallback, { least: 1, most: 65_535 });
    },
    url(name: string, fallback: string, protocols: readonly string[]): string {
      const value = given(name) ?? fallback;
      if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
        throw new ConfigError(`${name} is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
      }
      return value;
    },
  };
}

function contentOf(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ConfigError(`${name} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
