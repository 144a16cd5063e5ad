import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Config } from '../config.ts';
import { entities } from './entities/index.ts';
import { migrations, type MigrationClass } from './migrations/index.ts';

/**
 * Our statements look rows up by key, thousands of times each: planned once per connection rather than at every run, and never
 * by reading a whole table because it was small when the connection was young.
 */
const PLANNER = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/**
 * MikroORM over our entities and migrations; it owns the connection pool. `options` are added to those of each connection;
 * `list` takes the place of our migrations.
 */
export function createOrm(
  database: Config['database'],
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
      keepAlive: true,
      options: `${PLANNER}${added}`,
      pipeline: true,
    },
  };
  return new MikroORM(options);
}
