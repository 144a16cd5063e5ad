import type { Config } from '../config.ts';
import { newId } from '../ids.ts';
import type { SettingGroup } from '../config/process-settings.ts';
import { requireKind } from '../process/require-database.ts';
import type { Services } from '../services.ts';
import { connect } from './database.ts';
import type { Given } from './given.ts';
import type { Finding } from './verify.ts';

export interface Command {
  /** The arguments, as `--help` shows them. */
  usage: string;
  does: string;
  /** Names of the words that follow the command. */
  words?: readonly string[];
  /** Options with a value, and those that may be repeated. */
  values?: readonly string[];
  lists?: readonly string[];
  flags?: readonly string[];
  /** The groups of settings that it uses; by default only those of the database. */
  uses?: readonly SettingGroup[];
  run(config: Config, given: Given): Promise<Finding>;
}

export type Commands = Readonly<Record<string, Command>>;

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/** A command that needs only the database, and prints an object. */
export function simple(act: (tools: Tools, given: Given) => Promise<object>): Command['run'] {
  return (config, given) => withDatabase(config, async (tools) => ({ reply: { ...(await act(tools, given)) } }));
}

/** Runs a command that needs the database, on one connection. */
export async function withDatabase<T>(config: Config, work: (tools: Tools) => Promise<T>): Promise<T> {
  const db = await connect(config.database);
  try {
    await requireKind({ db, config });
    return await work({ db, config, newId });
  } finally {
    await db.close();
  }
}

/** Runs a command that needs the whole service. Only such commands load it. */
export async function withServices(config: Config, work: (services: Services) => Promise<object>): Promise<Finding> {
  const { openServices } = await import('../services.ts');
  const services = await openServices({ ...config, logLevel: 'warn' }, 'admin');
  try {
    await requireKind(services);
    return { reply: { ...(await work(services)) } };
  } finally {
    await services.close();
  }
}
