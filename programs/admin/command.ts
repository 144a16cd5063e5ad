import type { Operated } from '../../activities/auth/applications.ts';
import { HOUR_MS } from '../../domain/dates.ts';
import type { Config } from '../../infra/config/index.ts';
import { newId } from '../../infra/ids.ts';
import type { SettingGroup } from '../../infra/config/groups/index.ts';
import { requireKind } from '../../infra/process/require-database.ts';
import type { Services } from '../../infra/services.ts';
import { withDatabase } from './database.ts';
import type { Given } from './given.ts';

export interface Command {
  usage: string;
  does: string;
  words?: readonly string[];
  /** `values` are set once, `lists` may be repeated, and `flags` take no value. */
  values?: readonly string[];
  lists?: readonly string[];
  flags?: readonly string[];
  /** The groups of settings that the command reads besides the common settings. The default is `database`. */
  uses?: readonly SettingGroup[];
  /** The sentence for a terminal, with the fields of the result in braces. Without it, a terminal shows a table. */
  says?: string;
  /** The result is printed as JSON, unless a terminal shows it. */
  run(config: Config, given: Given): Promise<object>;
}

export type Commands = Readonly<Record<string, Command>>;

export type Tools = Pick<Services, 'db' | 'newId' | 'config'> & Operated;

export function onDatabase(act: (tools: Tools, given: Given) => Promise<object>): Command['run'] {
  return (config, given) =>
    withDatabase(config.database, async (db) => {
      await requireKind({ db, config });
      return act({ db, config, newId, operator: given.operator }, given);
    });
}

/** For a command with services that changes whole tables: each statement may take an hour. */
export function unhurried(run: Command['run']): Command['run'] {
  return (config, given) => run({ ...config, database: { ...config.database, timeoutMs: HOUR_MS } }, given);
}

/** Like `onDatabase`, for commands that use the keys. Such a command reads the settings `keys`. */
export function onKeys(act: (tools: Tools & Pick<Services, 'keys'>, given: Given) => Promise<object>): Command['run'] {
  return onDatabase(async (tools, given) => act({ ...tools, keys: await keysOf(tools) }, given));
}

/** Imports the code here, so that other commands need not load the code for keys. */
export async function keysOf({ config, db }: Tools) {
  const keys = await (await import('../../infra/keys/index.ts')).openKeys(config.keys, config.environment, db);
  // The command line has only one connection, so a transaction could not wait for this.
  await keys.macsReady();
  return keys;
}

/** Imports the code here, so that other commands need not load the code of all services. */
export async function withServices(
  config: Config,
  { operator }: Pick<Given, 'operator'>,
  work: (services: Services & { operator: string }) => Promise<object>,
): Promise<object> {
  const { openServices } = await import('../../infra/services.ts');
  const services = await openServices({ ...config, logLevel: 'warn' }, 'admin');
  try {
    await requireKind(services);
    return await work({ ...services, operator });
  } finally {
    await services.close();
  }
}
