import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Config } from '../config.ts';
import { entities } from './entities/index.ts';
import { migrations, type MigrationClass } from './migrations/index.ts';

/** A transaction idle for this long is ended, so that the owners it has locked are released. */
const IDLE_IN_TRANSACTION_S = 60;
/** How much longer than its own limit the database has to report a timeout, in milliseconds. */
const GRACE_MS = 1_000;
/** An idle connection keeps the plans of some hundred statements, which cost a new one tens of milliseconds. */
const IDLE_MS = 600_000;
/** Limits the age of a plan that was made for a small table, even if nothing analyses the table. */
const LIFETIME_S = 1_800;
/** After this long without traffic, the system checks that the other side is still there. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * MikroORM over our entities and migrations; it owns the connection pool. Without `timeoutMs` a query has no time
 * limit. `options` are added to those of each connection; `list` replaces our migrations.
 */
export function createOrm(
  database: Pick<Config['database'], 'url' | 'poolSize'> & { timeoutMs?: number },
  { options: added = '', list = migrations }: { options?: string; list?: readonly MigrationClass[] } = {},
): MikroORM {
  const options: Options = {
    entities: entities as NonNullable<Options['entities']>,
    extensions: [Migrator],
    migrations: { migrationsList: [...list], transactional: true, allOrNothing: false, snapshot: false },
    ensureDatabase: false,
    logger: () => undefined,
    clientUrl: database.url,
    forceUtcTimezone: true,
    pool: { min: 0, max: database.poolSize },
    driverOptions: {
      // The whole address: of its parts MikroORM takes only host, user and database, which would lose `sslmode`.
      connectionString: database.url,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: LIFETIME_S,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      pipeline: true,
      ...limitsOf(database.timeoutMs, added),
    },
  };
  return new MikroORM(options);
}

/** The database ends queries that take too long. If the database itself hangs, this side gives up the connection. */
function limitsOf(timeoutMs: number | undefined, added: string) {
  if (timeoutMs === undefined) return { options: added };
  const limits = `-c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_S}s`;
  return { options: `${limits}${added}`, query_timeout: timeoutMs + GRACE_MS };
}
