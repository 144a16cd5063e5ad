import { Migration } from '@mikro-orm/migrations';

/** Which stack of a machine a database belongs to; none where no `npm start` made it. */
export class Migration20261125170000_stack_id extends Migration {
  override up(): void {
    this.addSql(`alter table deployment add column stack_id text null`);
  }
}
