import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { holding, ownerUrlOf, untilUnlocked, type MigratedDatabase } from './migrate.ts';
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
 * Stop the previous version first. After a failure, the upgrade can be repeated. The lock has a connection of its own,
 * because a pool may replace its connections during a long upgrade.
 */
export async function finishUpgrade(db: Database, database: MigratedDatabase): Promise<FinishedUpgrade> {
  const lock = new pg.Client({ connectionString: ownerUrlOf(database) });
  // Without a listener, a lost connection would end the process.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    return await holding(lock, () => runSteps(db, database));
  } finally {
    await lock.end();
  }
}

async function runSteps(
  db: Database,
  { migrationLockMs = 1_000, migrationTryS = 300, migrationUrl }: MigratedDatabase,
): Promise<FinishedUpgrade> {
  const done: Readonly<Record<string, unknown>>[] = [];
  for (const { name, run } of upgradeSteps) {
    const attempt = async () => {
      await db.run(setLockTimeout(migrationLockMs));
      return run(db, { migrationUrl });
    };
    const did = await untilUnlocked(() => db.transaction(attempt), migrationTryS);
    done.push({ step: name, ...did });
  }
  return { steps: done };
}

const setLockTimeout = (ms: number) =>
  query(`upgrade.lock_timeout.${ms}`, () => sql`set local lock_timeout = ${sql.lit(ms)}`)();
