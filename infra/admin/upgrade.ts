import { finishUpgrade, type FinishedUpgrade } from '../db/upgrade.ts';
import { ownerUrlOf, type MigratedDatabase } from '../db/migrate.ts';
import { connect } from './database.ts';

/** Finishes an upgrade as the owner of the schema. @throws OperatorError if the database is unavailable. */
export async function finishUpgradeOf({ database }: { database: MigratedDatabase }): Promise<FinishedUpgrade> {
  const db = await connect({ url: ownerUrlOf(database) });
  try {
    return await finishUpgrade(db, database);
  } finally {
    await db.close();
  }
}
