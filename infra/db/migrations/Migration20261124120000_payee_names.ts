import { Migration } from '@mikro-orm/migrations';

/** The PII vault now holds payees' names. New rows leave this column empty; `upgrade finish` drops it. */
export class Migration20261124120000_payee_names extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" alter column "name" set default ''`);
  }
}
