import * as z from 'zod';
import { ConfigError, givenIn, type Environment } from './settings.ts';

export type Setting = z.GlobalMeta & { variable: string; takes: string };

const isOptional = (schema: z.ZodType): schema is z.ZodOptional<z.ZodType> => schema instanceof z.ZodOptional;
const partsOf = (group: z.ZodObject) => Object.entries<z.ZodType>(group.shape);

export function settingsIn(schema: z.ZodType): Setting[] {
  if (isOptional(schema)) return settingsIn(schema.unwrap());
  if (schema instanceof z.ZodObject) return partsOf(schema).flatMap(([, part]) => settingsIn(part));
  return [schema.meta() as Setting];
}

/** The settings of an optional object must be set together or not at all. */
export function readerOf(env: Environment) {
  const values = new Map<string, unknown>();
  const defaults = new Set<string>();

  function textOf({ variable, fallback, onlyWithDefaultOf }: Setting): string | undefined {
    const standard = fallback?.replace(/\{(\w+)\}/g, (_, name: string) => String(values.get(name)).replace(/\/+$/, ''));
    const isDefault = onlyWithDefaultOf === undefined || defaults.has(onlyWithDefaultOf);
    const value = givenIn(env, variable) ?? (isDefault ? standard : undefined);
    if (value === standard) defaults.add(variable);
    return value;
  }

  function valueOf(schema: z.ZodType, optional = false): unknown {
    if (isOptional(schema)) return valueOf(schema.unwrap(), true);
    if (schema instanceof z.ZodObject) {
      if (optional && !areGiven(settingsIn(schema))) return undefined;
      return Object.fromEntries(partsOf(schema).map(([key, part]) => [key, valueOf(part)]));
    }
    const [setting] = settingsIn(schema) as [Setting];
    const value = textOf(setting);
    if (optional && value === undefined) return undefined;
    const { success, data } = schema.safeParse(value);
    if (!success) throw new ConfigError(refusalOf(setting, value));
    values.set(setting.variable, data);
    return data;
  }

  function areGiven(settings: readonly Setting[]): boolean {
    const given = settings.filter((setting) => textOf(setting) !== undefined);
    if (given.length !== 0 && given.length !== settings.length)
      throw new ConfigError(
        `${settings.map(({ variable }) => variable).join(' and ')} belong together. Set both, or neither.`,
      );
    return given.length > 0;
  }

  return <T extends z.ZodObject>(group: T) => valueOf(group) as z.output<T>;
}

/** Omits zod's message, which can contain the value. */
function refusalOf({ variable, takes, hidden }: Setting, value: string | undefined): string {
  if (hidden) return `${variable} is not ${takes}.`;
  return `${variable} is "${value}", but must be ${takes}. Correct the value, or unset ${variable} to use the default.`;
}
