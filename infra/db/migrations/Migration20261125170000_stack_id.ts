import { Migration } from '@mikro-orm/migrations';

/** The `npm start` stack that created the database; null in other databases. */
export class Migration20261125170000_stack_id extends Migration {
  override up(): void {
    this.addSql(`alter table deployment add column stack_id text null`);
  }
}
