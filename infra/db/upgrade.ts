import { sql } from 'kysely';
import type { Database } from './database.ts';
import { untilUnlocked, withMigrationLock, type MigratedDatabase } from './migrate.ts';
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

/** Oldest first. Never remove a step: operators may upgrade from any earlier version. */
export const upgradeSteps: readonly UpgradeStep[] = [dropPayeeNames, bindOwners, separateRoles];

/** Stop the previous version first. After a failure, the upgrade can be repeated. */
export async function finishUpgrade(db: Database, database: MigratedDatabase) {
  const { migrationLockMs = 1_000, migrationTryS = 300 } = database;
  return withMigrationLock(database, async () => {
    const steps: Readonly<Record<string, unknown>>[] = [];
    for (const { name, run } of upgradeSteps) {
      const attempt = async () => {
        await db.run(setLockTimeout(migrationLockMs));
        return run(db, database);
      };
      const did = await untilUnlocked(() => db.transaction(attempt), migrationTryS);
      steps.push({ step: name, ...did });
    }
    return { steps };
  });
}

const setLockTimeout = (ms: number) =>
  query(`upgrade.lock_timeout.${ms}`, () => sql`set local lock_timeout = ${sql.lit(ms)}`)();
