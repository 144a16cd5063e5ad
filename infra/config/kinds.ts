import { isIP } from 'node:net';
import * as z from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    variable?: string;
    /** `{NAME}` stands for the value of a setting declared before this setting. */
    fallback?: string | undefined;
    /** The default applies only if this other setting has its default value, too. */
    onlyWithDefaultOf?: string;
    /** Completes the sentence "The setting must be …". */
    takes?: string;
    /** What `takes` says, in a few words for `docs/configuration.md`. Left out for any text and for files. */
    values?: string;
    /** Keeps the value out of error messages, because the value can contain a password. */
    hidden?: boolean;
  }
}

export const group = <Shape extends z.ZodRawShape>(title: string, settings: Shape) =>
  z.object(settings).describe(title);

export const text = (variable: string, fallback?: string) => z.string().meta({ variable, fallback, takes: 'any text' });

export const file = (variable: string, fallback?: string) =>
  z.string().meta({ variable, fallback, takes: 'the path of a file' });

function whole(min: number, max: number) {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
}

export const count = (variable: string, fallback: number, min: number, max: number) =>
  whole(min, max).meta({
    variable,
    fallback: String(fallback),
    takes: `a whole number from ${min} to ${max}`,
    values: `${min}–${max}`,
  });

export const countOrUnset = (variable: string) =>
  whole(1, 1_000_000_000).meta({ variable, takes: 'a whole number from 1 to 1000000000', values: '1–1000000000' });

export const pence = (variable: string) =>
  whole(1, Number.MAX_SAFE_INTEGER).meta({ variable, takes: 'a whole number of pence, 1 or more', values: 'pence' });

/** The value is in bytes. */
export const mebibytes = (variable: string, fallback: number, min: number, max: number) =>
  whole(min, max)
    .transform((given) => given * 1_048_576)
    .meta({
      variable,
      fallback: String(fallback),
      takes: `a whole number of MiB from ${min} to ${max}`,
      values: `${min}–${max}`,
    });

export const port = (variable: string, fallback: number) => count(variable, fallback, 1, 65_535);
/** 0 means that nothing listens. */
export const portOrNone = (variable: string, fallback: number) => count(variable, fallback, 0, 65_535);

export const oneOf = <const T extends string>(variable: string, choices: readonly T[], fallback: T) =>
  z.enum(choices).meta({
    variable,
    fallback,
    takes: `one of ${choices.join(', ')}`,
    values: choices.map((choice) => `\`${choice}\``).join(', '),
  });

export const trueOrFalse = (variable: string, fallback: 'true' | 'false') =>
  z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .meta({ variable, fallback, takes: 'one of true, false', values: '`true`, `false`' });

/** Choices separated by commas, or `none`. The default is all choices. */
export const someOf = <const T extends string>(variable: string, choices: readonly T[]) =>
  z
    .string()
    .transform((list) => (list === 'none' ? [] : splitAtCommas(list)))
    .pipe(z.array(z.enum(choices)))
    .transform((chosen) => choices.filter((choice) => chosen.includes(choice)))
    .meta({
      variable,
      fallback: choices.join(','),
      takes: `some of ${choices.join(', ')}, separated by commas, or none`,
      values: 'some of these, or `none`',
    });

/** The result is text, so that the decimal stays exact. */
export const ratio = (variable: string, fallback: string, decimals: number) => {
  const pattern = String.raw`^(?:0(?:\.\d{1,${decimals}})?|1(?:\.0{1,${decimals}})?)$`;
  const takes = `a decimal from 0 to 1 with at most ${decimals} decimal places, such as 0.0410`;
  return z.string().regex(new RegExp(pattern)).meta({ variable, fallback, takes, values: '0–1' });
};

export const networks = (variable: string, fallback: string) =>
  z
    .string()
    .transform(splitAtCommas)
    .pipe(z.array(z.string().refine(isNetwork)))
    .meta({
      variable,
      fallback,
      takes: 'addresses or networks such as 10.0.0.0/8, separated by commas',
      values: 'networks',
    });

export const url = (variable: string, protocols: readonly string[], fallback?: string) => {
  const takes = `a URL that begins with ${protocols.join(':// or ')}://`;
  const protocol = new RegExp(`^(?:${protocols.join('|')})$`);
  return z
    .url({ protocol })
    .meta({ variable, fallback, takes, hidden: true, values: protocols.map((name) => `${name}://`).join(' or ') });
};

/** Removes trailing slashes, so that code can append paths. */
export const baseUrl = (variable: string, protocols: readonly string[], fallback: string) =>
  url(variable, protocols, fallback).overwrite((address) => address.replace(/\/+$/, ''));

function splitAtCommas(list: string): string[] {
  return list.split(',').map((part) => part.trim());
}

function isNetwork(network: string): boolean {
  const [address = '', bits, ...more] = network.split('/');
  const family = isIP(address);
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  return family !== 0 && fits && more.length === 0;
}
