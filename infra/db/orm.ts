import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import type { Config } from '../config.ts';
import { entities } from './entities/index.ts';
import { migrations } from './migrations/index.ts';

/**
 * Our statements look rows up by key, thousands of times each: planned once per connection rather than at every run, and never
 * by reading a whole table because it was small when the connection was young.
 */
const PLANNER = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/** MikroORM over our entities and migrations; it owns the connection pool. */
export function createOrm(database: Config['database']): MikroORM {
  const options: Options = {
    entities: entities as NonNullable<Options['entities']>,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, transactional: true, allOrNothing: true, snapshot: false },
    ensureDatabase: false,
    logger: () => undefined,
    clientUrl: database.url,
    forceUtcTimezone: true,
    pool: { min: 0, max: database.poolSize },
    driverOptions: { connectionTimeoutMillis: 5_000, keepAlive: true, options: PLANNER, pipeline: true },
  };
  return new MikroORM(options);
}
