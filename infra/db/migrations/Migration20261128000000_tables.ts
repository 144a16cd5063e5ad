import { Migration } from '@mikro-orm/migrations';
import { TABLES } from '../schema-files.ts';

/** Until 0.1.0 is released, tables change in the files of `schema/tables/`; afterwards, each change is a new migration. */
export class Migration20261128000000_tables extends Migration {
  override up(): void {
    for (const { text } of TABLES) this.addSql(text);
  }
}
