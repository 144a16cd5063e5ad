import { sql } from 'kysely';
import { migrations } from '../migrations/index.ts';
import { query } from '../query.ts';

/** The migrations that this version of the service needs. */
export const neededMigrations: readonly string[] = migrations.map((migration) => migration.name);

/** How many of the named migrations are not applied. Fails if none ever was. */
export const missingMigrations = query(
  'operations.missingMigrations',
  (names: readonly string[]) => sql<{ missing: number }>`
    select count(*) as missing from unnest(${names}::text[]) as needed (name)
     where not exists (select from mikro_orm_migrations m where m.name = needed.name)`,
);
