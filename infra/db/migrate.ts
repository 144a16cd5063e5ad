import type { Config } from '../config.ts';
import { createOrm } from './orm.ts';

const MIGRATION_LOCK = 7_201_604;

/**
 * Brings the schema up to date; does nothing where it is. Two processes that migrate at once take turns.
 * @throws when the database cannot be reached or a migration fails; then nothing of it is kept.
 */
export async function migrate({ database }: { database: Pick<Config['database'], 'url'> }): Promise<void> {
  const orm = createOrm({ url: database.url, poolSize: 3 });
  try {
    const pool = await orm.em.getDriver().getConnection().getNativeClient();
    const lock = await pool.connect();
    try {
      await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await orm.migrator.up();
      await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    } finally {
      lock.release();
    }
  } finally {
    await orm.close(true);
  }
}
