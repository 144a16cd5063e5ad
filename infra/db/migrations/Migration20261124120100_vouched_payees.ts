import { Migration } from '@mikro-orm/migrations';

/** Who vouches for a payee. A keyed hash of the bank account finds payees with the same account. */
export class Migration20261124120100_vouched_payees extends Migration {
  override up(): void {
    this.addSql(
      `alter table "providers" add column "vouched_by" text null, add column "account_fingerprint" text null, add constraint providers_vouched_by check (vouched_by in ('sandbox', 'application', 'operator')) not valid`,
    );
  }
}
