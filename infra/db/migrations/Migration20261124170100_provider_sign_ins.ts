import { Migration } from '@mikro-orm/migrations';

/** The mail domains that a provider is limited to, and what people signed in with. */
export class Migration20261124170100_provider_sign_ins extends Migration {
  override up(): void {
    this.addSql(`alter table "sign_in_providers" add column "domains" text[] not null default '{}'`);
    this.addSql(`alter table "sessions" add column "signed_in_with" text null`);
    this.addSql(`alter table "token_families" add column "signed_in_with" text null`);
  }
}
