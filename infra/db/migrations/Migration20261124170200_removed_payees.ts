import { Migration } from '@mikro-orm/migrations';

/** Payees that nobody can pay any more, but whose payments stay. */
export class Migration20261124170200_removed_payees extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" add column "removed_at" timestamptz(3) null`);
  }
}
