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
  /** Names of the positional arguments. */
  words?: readonly string[];
  /** Options: `values` are set once, `lists` may be repeated, and `flags` take no value. */
  values?: readonly string[];
  lists?: readonly string[];
  flags?: readonly string[];
  /** The groups of settings that the command reads; by default only `database`. */
  uses?: readonly SettingGroup[];
  run(config: Config, given: Given): Promise<Finding>;
}

export type Commands = Readonly<Record<string, Command>>;

type Tools = Pick<Services, 'db' | 'newId' | 'config'>;

/** Makes a command that needs only the database and prints one JSON object. */
export function simple(act: (tools: Tools, given: Given) => Promise<object>): Command['run'] {
  return (config, given) => withDatabase(config, async (tools) => ({ reply: { ...(await act(tools, given)) } }));
}

/** Runs `work` on one database connection, and then closes the connection. */
export async function withDatabase<T>(config: Config, work: (tools: Tools) => Promise<T>): Promise<T> {
  const db = await connect(config.database);
  try {
    await requireKind({ db, config });
    return await work({ db, config, newId });
  } finally {
    await db.close();
  }
}

/** Runs `work` with all services. Only commands that need all services load their modules. */
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
