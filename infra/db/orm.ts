import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Config } from '../config.ts';
import { entities } from './entities/index.ts';
import { migrations, type MigrationClass } from './migrations/index.ts';

/**
 * PostgreSQL closes a connection whose transaction is idle for this many seconds, which releases the transaction's
 * locks.
 */
const IDLE_IN_TRANSACTION_S = 60;
/** The client waits this many milliseconds longer than PostgreSQL's own timeout, to receive the timeout error. */
const GRACE_MS = 1_000;
/** Idle connections stay open for ten minutes, because a new connection must plan hundreds of statements again. */
const IDLE_MS = 600_000;
/** Replaces connections, because a cached plan made for a small table becomes slow when the table grows. */
const LIFETIME_S = 1_800;
/** After this long without traffic, TCP checks that the other side is still reachable. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * Configures MikroORM, which owns the connection pool. Without `timeoutMs`, queries have no time limit.
 * @param options are added to the PostgreSQL options of each connection
 * @param list replaces the service's migrations
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
      // Passes the full URL, because MikroORM itself passes on only host, user and database, and would lose `sslmode`.
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

/** PostgreSQL cancels queries that take too long. If PostgreSQL itself hangs, the client closes the connection. */
function limitsOf(timeoutMs: number | undefined, added: string) {
  if (timeoutMs === undefined) return { options: added };
  const limits = `-c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_S}s`;
  return { options: `${limits}${added}`, query_timeout: timeoutMs + GRACE_MS };
}
