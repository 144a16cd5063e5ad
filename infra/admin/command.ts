import type { Config } from '../config.ts';
import { newId } from '../ids.ts';
import type { SettingGroup } from '../config/process-settings.ts';
import { requireKind } from '../process/require-database.ts';
import type { Services } from '../services.ts';
import { withDatabase } from './database.ts';
import type { Given } from './given.ts';

export interface Command {
  /** The arguments, as `--help` shows them. */
  usage: string;
  does: string;
  /** Names of the positional arguments. */
  words?: readonly string[];
  /** Options: `values` are set once, `lists` may be repeated, and `flags` take no value. */
  values?: readonly string[];
  lists?: readonly string[];
  flags?: readonly string[];
  /** The groups of settings that the command reads. By default, it reads only `database`. */
  uses?: readonly SettingGroup[];
  /** Runs the command. The returned object is printed as JSON. */
  run(config: Config, given: Given): Promise<object>;
}

export type Commands = Readonly<Record<string, Command>>;

export type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/** Makes a command that needs only the database. */
export function onDatabase(act: (tools: Tools, given: Given) => Promise<object>): Command['run'] {
  return (config, given) =>
    withDatabase(config.database, async (db) => {
      await requireKind({ db, config });
      return act({ db, config, newId }, given);
    });
}

/**
 * Opens the deployment's keys. Imports the code for keys here, so that it loads only for commands that encrypt or sign.
 */
export async function keysOf({ config, db }: Tools) {
  return (await import('../keys/index.ts')).openKeys(config.keys, config.environment, db);
}

/** Runs `work` with all services. Imports their modules here, so that other commands need not load them. */
export async function withServices(config: Config, work: (services: Services) => Promise<object>): Promise<object> {
  const { openServices } = await import('../services.ts');
  const services = await openServices({ ...config, logLevel: 'warn' }, 'admin');
  try {
    await requireKind(services);
    return await work(services);
  } finally {
    await services.close();
  }
}
