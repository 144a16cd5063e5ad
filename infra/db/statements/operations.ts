import { sql } from 'kysely';
import { migrations } from '../migrations/index.ts';
import { query } from '../query.ts';

export const neededMigrations: readonly string[] = migrations.map((migration) => migration.name);

/** Fails if the migrations table does not exist. */
export const missingMigrations = query(
  'operations.missingMigrations',
  (names: readonly string[]) => sql<{ missing: number }>`
    select count(*) as missing from unnest(${names}::text[]) as needed (name)
     where not exists (select from mikro_orm_migrations m where m.name = needed.name)`,
);
