import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import { readConfig } from '../../infra/config/index.ts';
import { common } from '../../infra/config/groups/process.ts';
import type { SettingGroup } from '../../infra/config/groups/index.ts';
import { readerOf } from '../../infra/config/reading.ts';
import { ConfigError, givenIn, type Environment } from '../../infra/config/settings.ts';
import { ownerUrlOf, type MigratedDatabase } from '../../infra/db/migrate.ts';
import { recordStack, stackOfDatabase } from '../../infra/db/queries/deployment.ts';
import { runningStack, type RunningStack } from '../local/stack-file.ts';
import { withDatabase } from './database.ts';
import { OperatorError } from './errors.ts';

/* Checkouts share default ports. So a command without a database setting uses the stack of its own data folder. */

/** Whether the settings name a server that a command with these groups needs. */
export function isPlaced(env: Environment, groups: readonly SettingGroup[]): boolean {
  const names = ['DATABASE_URL', 'RINGFENCE_PORT_POSTGRES'];
  if (groups.includes('migration')) names.push('DATABASE_MIGRATION_URL');
  if (!groups.includes('database')) names.push('TEMPORAL_ADDRESS', 'RINGFENCE_PORT_TEMPORAL');
  return names.some((name) => givenIn(env, name) !== undefined);
}

export const stackHere = (env: Environment): RunningStack | undefined => runningStack(readerOf(env)(common).dataDir);

/** Adds the running stack's addresses, unless the settings name another database or are for production. */
export async function settingsHere(env: Environment, groups: readonly SettingGroup[]): Promise<Environment> {
  const { dataDir, environment } = readerOf(env)(common);
  const asksParts = groups.includes('database') || groups.includes('temporal');
  if (!asksParts || environment === 'production') return env;
  const stack = runningStack(dataDir);
  // These settings name this stack's database, so the stack's other addresses apply too.
  if (isPlaced(env, groups)) return stack !== undefined && isGivenItself(env, stack) ? withAddresses(env, stack) : env;
  if (stack === undefined) throw new OperatorError(noStack(dataDir));
  requireInside(env, groups, stack);
  const settings = withAddresses(env, stack);
  if (stack.stackId !== undefined) await requireStack(settings, stack.stackId);
  return settings;
}

/** Records a new stack id in a database that has none. Returns the recorded id. */
export async function claimDatabase({ database }: { database: MigratedDatabase }): Promise<string> {
  return withDatabase({ url: ownerUrlOf(database) }, async (db) => {
    await db.run(recordStack(randomUUID()));
    return (await db.one(stackOfDatabase())).stack_id!;
  });
}

/** The stack file lacks the addresses of parts that run outside the stack. */
function requireInside(env: Environment, groups: readonly SettingGroup[], { elsewhere, folder }: RunningStack): void {
  const needed = [
    ...(groups.includes('database') ? ['DATABASE_URL'] : []),
    ...(groups.includes('temporal') ? ['TEMPORAL_ADDRESS'] : []),
  ];
  const missing = needed.filter((name) => elsewhere.includes(name) && givenIn(env, name) === undefined);
  if (missing.length === 0) return;
  throw new OperatorError(
    `The stack on ${named(folder)} was started with ${missing.join(' and ')}. Set the same values for this command, and run the command again.`,
  );
}

/** The user's settings take precedence. If the user sets a port, the default URL with that port applies. */
function withAddresses(env: Environment, { settings }: RunningStack): Environment {
  const isGiven = (name: string) => givenIn(env, name) !== undefined;
  const madeOf: Readonly<Record<string, string>> = {
    RINGFENCE_PUBLIC_URL: 'RINGFENCE_PORT_API',
    TEMPORAL_UI_URL: 'RINGFENCE_PORT_TEMPORAL_UI',
  };
  const taken = Object.entries(settings).filter(([name]) => !isGiven(name) && !isGiven(madeOf[name] ?? name));
  return { ...env, ...Object.fromEntries(taken) };
}

function isGivenItself(env: Environment, { settings, elsewhere }: RunningStack): boolean {
  const port = givenIn(env, 'RINGFENCE_PORT_POSTGRES');
  return (
    givenIn(env, 'DATABASE_URL') === undefined && elsewhere.length === 0 && port === settings.RINGFENCE_PORT_POSTGRES
  );
}

async function requireStack(settings: Environment, stackId: string): Promise<void> {
  const { database, dataDir } = readConfig(settings, ['database']);
  const found = await withDatabase(database, (db) => db.maybe(stackOfDatabase()));
  if (found?.stack_id === stackId) return;
  throw new ConfigError(
    `The database at ${new URL(database.url).host} does not belong to the stack that runs on ${named(dataDir)}. ` +
      'Stop that stack and start it again with npm start, or set DATABASE_URL to the database that you mean.',
  );
}

const noStack = (dataDir: string) =>
  `No stack runs on ${named(dataDir)}. Start the stack with npm start, or set RINGFENCE_DATA to the folder of the running stack, or set DATABASE_URL or RINGFENCE_PORT_POSTGRES to the database that you mean.`;

const named = (folder: string) => relative(process.cwd(), folder) || folder;
