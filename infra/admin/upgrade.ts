import { finishUpgrade, type FinishedUpgrade } from '../db/upgrade.ts';
import { ownerUrlOf, type MigratedDatabase } from '../db/migrate.ts';
import { withDatabase } from './database.ts';

export async function finishUpgradeOf({ database }: { database: MigratedDatabase }): Promise<FinishedUpgrade> {
  return withDatabase({ url: ownerUrlOf(database) }, (db) => finishUpgrade(db, database));
}
