import { Migration } from '@mikro-orm/migrations';

/** The application of each owner and PII record, and the owner ids reserved for an application. */
export class Migration20261124090000_owner_applications extends Migration {
  override up(): void {
    this.addSql(
      `create table "owner_applications" ("owner_id" text not null, "app_id" text null, "bound_at" timestamptz(3) not null default current_timestamp(3), primary key ("owner_id"))`,
    );
    this.addSql(`create index "owner_applications_app" on "owner_applications" ("app_id")`);
    this.addSql(`alter table "applications" add column "owner_prefix" text null`);
    this.addSql(`alter table "vault_records" add column "app_id" text null`);
  }
}
