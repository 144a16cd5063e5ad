import { Migration } from '@mikro-orm/migrations';

/** More figures in a credential: bills, accounts, months, and excluded payments. Older credentials have null here. */
export class Migration20261124120200_credential_counts extends Migration {
  override up(): void {
    this.addSql(
      `alter table "credentials" add column "bills" int null, add column "payees" int null, add column "months_covered" int null, add column "total_paid" bigint null, add column "payments_left_out" int null`,
    );
  }
}
