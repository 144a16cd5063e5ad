import { Migration } from '@mikro-orm/migrations';

/** The PII vault holds payees' names. New rows leave the column `name` empty; `upgrade finish` drops the column. */
export class Migration20261124120000_payee_names extends Migration {
  override up(): void {
    this.addSql(`alter table "providers" alter column "name" set default ''`);
  }
}
