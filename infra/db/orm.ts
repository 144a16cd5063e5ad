import { MikroORM, type MigrationObject, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Config } from '../config/index.ts';
import { entities } from './tables.ts';

/** PostgreSQL ends a transaction that is idle for this long, and so releases the transaction's locks. */
const IDLE_IN_TRANSACTION_S = 60;
/** The client waits this much longer than PostgreSQL, to receive PostgreSQL's own timeout error. */
const GRACE_MS = 1_000;
/** Long, because a new connection must plan hundreds of statements again. */
const IDLE_MS = 600_000;
const LIFETIME_S = 1_800;
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * PostgreSQL keeps a plan until it analyses the table again. A plan made for a small table would read the whole table
 * after it has grown, so every look-up goes by index, key by key. Functions that must read whole tables, such as
 * `ledger_faults`, set this back. Such a plan suits every value, so nothing is planned again for the values of a call.
 * The penalty on whole reads would start the compiler of `jit`.
 */
export const BY_INDEX =
  ' -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan -c jit=off';

/** Without `timeoutMs`, queries have no time limit. `options` are extra PostgreSQL options of each connection. */
export function createOrm(
  database: Pick<Config['database'], 'url' | 'poolSize'> & { timeoutMs?: number },
  { options: added = '', list = [] }: { options?: string; list?: readonly MigrationObject[] } = {},
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
      // MikroORM itself would drop URL parameters such as `sslmode`.
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

/** If PostgreSQL itself hangs, the client closes the connection. */
function limitsOf(timeoutMs: number | undefined, added: string) {
  if (timeoutMs === undefined) return { options: added + BY_INDEX };
  const limits = `-c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_S}s`;
  return { options: `${limits}${added}${BY_INDEX}`, query_timeout: timeoutMs + GRACE_MS };
}
