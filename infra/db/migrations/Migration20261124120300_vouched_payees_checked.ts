import { Migration } from '@mikro-orm/migrations';

/** Validates the constraint for older rows too. */
export class Migration20261124120300_vouched_payees_checked extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" validate constraint providers_vouched_by`);
  }
}
