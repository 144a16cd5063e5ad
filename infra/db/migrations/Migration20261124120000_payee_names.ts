import { Migration } from '@mikro-orm/migrations';

/** The payee's name is sealed in the PII vault. New rows leave this copy empty; `upgrade finish` drops the column. */
export class Migration20261124120000_payee_names extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" alter column "name" set default ''`);
  }
}
