import { sql } from 'kysely';
import type { Database } from './database.ts';
import { MIGRATION_LOCK, untilUnlocked, type MigratedDatabase } from './migrate.ts';
import { query } from './query.ts';
import { bindOwners } from './upgrade/bind-owners.ts';
import { dropPayeeNames } from './upgrade/payee-names.ts';
import { separateRoles } from './upgrade/separate-roles.ts';

/** A database change with which the previous version cannot work. Repeating a step has no further effect. */
export interface UpgradeStep {
  readonly name: string;
  /** Runs in one transaction, as the schema's owner. @returns a report for the operator. */
  run(db: Database, database: Pick<MigratedDatabase, 'migrationUrl'>): Promise<Readonly<Record<string, unknown>>>;
}

export interface FinishedUpgrade {
  steps: readonly Readonly<Record<string, unknown>>[];
}

/** Oldest first. Never remove a step: operators may upgrade from any earlier version. */
export const upgradeSteps: readonly UpgradeStep[] = [dropPayeeNames, bindOwners, separateRoles];

/**
 * Stop the previous version first. After a failure, the upgrade can be repeated. `db` must be a single connection,
 * because the lock and its timeout belong to the session.
 */
export async function finishUpgrade(
  db: Database,
  { migrationLockMs = 1_000, migrationTryS = 300, migrationUrl }: Omit<MigratedDatabase, 'url'> = {},
  steps: readonly UpgradeStep[] = upgradeSteps,
): Promise<FinishedUpgrade> {
  await db.run(setLockTimeout(0));
  await db.maybe(lock(MIGRATION_LOCK));
  try {
    await db.run(setLockTimeout(migrationLockMs));
    const done: Readonly<Record<string, unknown>>[] = [];
    for (const { name, run } of steps) {
      const did = await untilUnlocked(() => db.transaction(() => run(db, { migrationUrl })), migrationTryS);
      done.push({ step: name, ...did });
    }
    return { steps: done };
  } finally {
    await db.maybe(unlock(MIGRATION_LOCK));
  }
}

const lock = query('upgrade.lock', (key: number) => sql`select pg_advisory_lock(${key}::bigint)::text as held`);
const unlock = query('upgrade.unlock', (key: number) => sql`select pg_advisory_unlock(${key}::bigint)`);
const setLockTimeout = (ms: number) =>
  query(`upgrade.lock_timeout.${ms}`, () => sql`set lock_timeout = ${sql.lit(ms)}`)();
