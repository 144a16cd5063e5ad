import { Migration } from '@mikro-orm/migrations';

/** Nothing but these may stand there, in rows of before either. */
export class Migration20261124120300_vouched_payees_checked extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" validate constraint providers_vouched_by`);
  }
}
