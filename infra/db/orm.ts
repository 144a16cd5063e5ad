import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Config } from '../config.ts';
import { entities } from './entities/index.ts';
import { migrations, type MigrationClass } from './migrations/index.ts';

/** Where somebody holds a transaction open so long, the owners that it has locked are let go. */
const IDLE_IN_TRANSACTION_S = 60;
/** The database has this much longer than its own limit to say that it reached it. */
const GRACE_MS = 1_000;
/** A connection that nothing asks keeps the plans of some hundred statements, which cost a new one tens of milliseconds. */
const IDLE_MS = 600_000;
/** A plan that was made for a small table does not outlive this, even where nothing analyses the table. */
const LIFETIME_S = 1_800;
/** After so long without a word, the system asks whether the other side is still there. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * MikroORM over our entities and migrations; it owns the connection pool. Without `timeoutMs` a query may take for ever.
 * `options` are added to those of each connection; `list` takes the place of our migrations.
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
      // The whole address, because MikroORM takes no more of it than host, user and database: `sslmode` would be forgotten.
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

/** The database ends what takes too long, and where it hangs itself, so does this side, by giving up the connection. */
function limitsOf(timeoutMs: number | undefined, added: string) {
  if (timeoutMs === undefined) return { options: added };
  const limits = `-c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_S}s`;
  return { options: `${limits}${added}`, query_timeout: timeoutMs + GRACE_MS };
}
