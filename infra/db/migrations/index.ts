import type { Migration } from '@mikro-orm/migrations';
import { Migration20261128000000_tables } from './Migration20261128000000_tables.ts';

/** A migration. `removes` names the columns and tables that it drops, because no running version uses them. */
export type MigrationClass = (new (...parts: ConstructorParameters<typeof Migration>) => Migration) & {
  readonly removes?: readonly string[];
};

export const migrations: readonly MigrationClass[] = [Migration20261128000000_tables];

/** The schema of the first release. Each later migration must work while the previous version still runs. */
export const BASELINE = Migration20261128000000_tables;
