import { Migration } from '@mikro-orm/migrations';

/** Links that prove an email address, and provider sign-ins that wait for such a proof. */
export class Migration20261124170000_address_proofs extends Migration {
  override up(): void {
    this.addSql(
      `create table "email_verifications" ("token_hash" text not null, "user_id" text not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("token_hash"))`,
    );
    this.addSql(`create index "email_verifications_user" on "email_verifications" ("user_id")`);
    this.addSql(`create index "email_verifications_expires" on "email_verifications" ("expires_at")`);
    this.addSql(
      `create table "provider_link_requests" ("request_hash" text not null, "mail_token_hash" text null, "provider_id" text not null, "subject_index" text not null, "user_id" text not null, "browser_hash" text not null, "continue_with" text not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("request_hash"))`,
    );
    this.addSql(
      `alter table "provider_link_requests" add constraint "provider_link_requests_mail_token_hash_unique" unique ("mail_token_hash")`,
    );
    this.addSql(`create index "provider_link_requests_expires" on "provider_link_requests" ("expires_at")`);
  }
}
