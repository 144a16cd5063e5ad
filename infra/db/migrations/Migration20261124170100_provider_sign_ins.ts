import { Migration } from '@mikro-orm/migrations';

/** The email domains that a provider may sign in, and how each session signed in. */
export class Migration20261124170100_provider_sign_ins extends Migration {
  override up(): void {
    this.addSql(`alter table "sign_in_providers" add column "domains" text[] not null default '{}'`);
    this.addSql(`alter table "sessions" add column "signed_in_with" text null`);
    this.addSql(`alter table "token_families" add column "signed_in_with" text null`);
  }
}
