import { Migration } from '@mikro-orm/migrations';

/** Nobody can pay a removed payee. Earlier payments stay on record. */
export class Migration20261124170200_removed_payees extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" add column "removed_at" timestamptz(3) null`);
  }
}
