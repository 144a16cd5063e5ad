import { Migration } from '@mikro-orm/migrations';

/** Removed payees: nobody can pay them any more, but their payments stay. */
export class Migration20261124170200_removed_payees extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" add column "removed_at" timestamptz(3) null`);
  }
}
