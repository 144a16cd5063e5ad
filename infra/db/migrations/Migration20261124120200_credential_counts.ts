import { Migration } from '@mikro-orm/migrations';

/**
 * What a credential counts besides payments: bills, accounts, months, and what it leaves out. Earlier credentials have
 * none of these.
 */
export class Migration20261124120200_credential_counts extends Migration {
  override up(): void {
    this.addSql(
      `alter table "credentials" add column "bills" int null, add column "payees" int null, add column "months_covered" int null, add column "total_paid" bigint null, add column "payments_left_out" int null`,
    );
  }
}
