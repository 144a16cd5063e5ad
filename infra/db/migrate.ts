import type { ClientBase } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { codeOf } from './errors.ts';
import { migrations, type MigrationClass } from './migrations/index.ts';
import { createOrm } from './orm.ts';

export const MIGRATION_LOCK = 7_201_604;
const LOCK_NOT_AVAILABLE = '55P03';
const REST_MS = 1_000;
const ASK_AGAIN_MS = 100;

export type MigratedDatabase = Omit<Config['database'], 'timeoutMs' | 'poolSize' | 'groupCommit'>;

export const ownerUrlOf = ({ migrationUrl, url }: Pick<MigratedDatabase, 'migrationUrl' | 'url'>) =>
  migrationUrl ?? url;

/**
 * Applies missing migrations while the service keeps running. A second migrator waits for the first. A migration that
 * waits too long for a lock is retried later, because other queries would queue behind the migration.
 */
export async function migrate(
  { database }: { database: MigratedDatabase },
  list: readonly MigrationClass[] = migrations,
): Promise<void> {
  const { migrationLockMs = 1_000, migrationTryS = 300 } = database;
  const options = ` -c lock_timeout=${migrationLockMs}`;
  const orm = createOrm({ url: ownerUrlOf(database), poolSize: 3 }, { options, list });
  try {
    const pool = await orm.em.getDriver().getConnection().getNativeClient();
    const lock = await pool.connect();
    try {
      await holding(lock, () => untilUnlocked(() => orm.migrator.up(), migrationTryS));
    } finally {
      lock.release();
    }
  } finally {
    await orm.close(true);
  }
}

/** Holds the migration lock on the connection `lock` during the work. */
export async function holding<T>(lock: ClientBase, work: () => Promise<T>): Promise<T> {
  // Polls because a statement that waits in PostgreSQL keeps a snapshot, which blocks `create index concurrently`.
  while (!(await hasTaken(lock))) await sleep(ASK_AGAIN_MS);
  try {
    return await work();
  } finally {
    // A lost connection has lost the lock too.
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
  }
}

async function hasTaken(lock: ClientBase): Promise<boolean> {
  const { rows } = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
  return rows[0]!.taken;
}

export async function untilUnlocked<T>(work: () => Promise<T>, tryS: number): Promise<T> {
  const until = performance.now() + tryS * 1_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || performance.now() > until) throw error;
      await sleep(REST_MS);
    }
  }
}
