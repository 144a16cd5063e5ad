import { Migration } from '@mikro-orm/migrations';

/** Shared rate limits, provider sign-in, password resets, outgoing email, and the last event of each audit chain. */
export class Migration20261121000004_access extends Migration {
  override up(): void {
    this.addSql(
      `create table "rate_limits" ("key" varchar(255) not null, "points" int not null, "expire" bigint null, primary key ("key"))`,
    );
    this.addSql(`create index "rate_limits_expire" on "rate_limits" ("expire")`);
    this.accounts();
    this.providers();
    this.mail();
    this.masterKeys();
    this.vaultRecords();
    this.auditHeads();
  }

  private accounts(): void {
    this.addSql(`alter table "users" alter column "password_hash" drop not null`);
    this.addSql(`alter table "users" add column "email_verified_at" timestamptz(3) null`);
    this.addSql(`alter table "access_tokens" add column "scopes" text[] null`);
    this.addSql(`alter table "token_families" add column "session_hash" text null`);
    this.addSql(`create index "token_families_session" on "token_families" ("session_hash")`);
    this.addSql(`alter table "authorization_codes" add column "session_hash" text null`);
    this.addSql(`create index "authorization_codes_expires" on "authorization_codes" ("expires_at")`);
    this.addSql(`create index "sessions_expires" on "sessions" ("expires_at")`);
    this.addSql(`create index "token_families_expires" on "token_families" ("expires_at")`);
    this.addSql(`create index token_families_ended on token_families (ended_at) where ended_at is not null`);
    this.addSql(
      `create table "password_resets" ("token_hash" text not null, "user_id" text not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("token_hash"))`,
    );
    this.addSql(`create index "password_resets_user" on "password_resets" ("user_id")`);
    this.addSql(`create index "password_resets_expires" on "password_resets" ("expires_at")`);
  }

  private providers(): void {
    this.addSql(
      `create table "sign_in_providers" ("provider_id" text not null, "name" text not null, "issuer" text not null, "client_id" text not null, "client_secret_sealed" text not null, "created_at" timestamptz(3) not null, "removed_at" timestamptz(3) null, primary key ("provider_id"))`,
    );
    this.addSql(`create unique index sign_in_providers_issuer on sign_in_providers (issuer) where removed_at is null`);
    this.addSql(
      `create table "user_identities" ("provider_id" text not null, "subject_index" text not null, "user_id" text not null, "created_at" timestamptz(3) not null, primary key ("provider_id", "subject_index"))`,
    );
    this.addSql(`create index "user_identities_user" on "user_identities" ("user_id")`);
    this.addSql(
      `create table "sign_in_attempts" ("state_hash" text not null, "provider_id" text not null, "browser_hash" text not null, "sealed" text not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("state_hash"))`,
    );
    this.addSql(`create index "sign_in_attempts_expires" on "sign_in_attempts" ("expires_at")`);
  }

  private mail(): void {
    this.addSql(
      `create table "mail_messages" ("mail_id" bigserial primary key, "kind" text not null, "user_id" text null, "data" jsonb not null, "attempts" int not null default 0, "available_at" timestamptz(3) not null, "created_at" timestamptz(3) not null)`,
    );
    this.addSql(`create index "mail_messages_available" on "mail_messages" ("available_at")`);
    this.addSql(`
      create function mail_tells() returns trigger language plpgsql as $$
      begin
        perform pg_notify('mail', '');
        return null;
      end $$`);
    this.addSql(`
      create trigger mail_tells after insert on mail_messages for each statement execute function mail_tells()`);
  }

  private masterKeys(): void {
    this.addSql(
      `create table "sealed_secrets" ("name" text not null, "sealed" text not null, "created_at" timestamptz(3) not null, primary key ("name"))`,
    );
    this.addSql(`create index "vault_records_key_version" on "vault_records" ("key_version", "vault_ref")`);
  }

  /** Records that the service itself needs cannot be erased. The indexes find such records by reference. */
  private vaultRecords(): void {
    this.addSql(`create index "users_email_ref" on "users" ("email_ref")`);
    this.addSql(`create index "providers_bank_ref" on "providers" ("bank_ref")`);
    this.addSql(`
      alter table vault_records add constraint vault_records_erased check ((sealed is null) = (erased_at is not null))`);
    this.addSql(`
      create function vault_record_stays_erased() returns trigger language plpgsql as $$
      begin
        raise exception '% was erased for good', old.vault_ref using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create trigger vault_record_stays_erased before update on vault_records
        for each row when (old.sealed is null) execute function vault_record_stays_erased()`);
  }

  /** Only the audit chain's own trigger writes its head. The head moves forward with the chain, never back. */
  private auditHeads(): void {
    this.addSql(
      `create table "audit_heads" ("subject" text not null, "subject_seq" int not null, "hash" text not null, primary key ("subject"))`,
    );
    this.addSql(`
      insert into audit_heads (subject, subject_seq, hash)
      select distinct on (subject) subject, subject_seq, hash from audit_events order by subject, subject_seq desc`);
    this.addSql(`
      create or replace function audit_event_is_chained() returns trigger language plpgsql as $$
      begin
        loop
          select subject_seq + 1, hash into new.subject_seq, new.previous_hash
            from audit_heads where subject = new.subject for no key update;
          if found then
            new.hash := audit_hash(new);
            update audit_heads set subject_seq = new.subject_seq, hash = new.hash where subject = new.subject;
            return new;
          end if;
          new.subject_seq := 1;
          new.previous_hash := '';
          new.hash := audit_hash(new);
          insert into audit_heads (subject, subject_seq, hash) values (new.subject, 1, new.hash) on conflict do nothing;
          if found then
            return new;
          end if;
        end loop;
      end $$`);
    this.addSql(`
      create function audit_head_moves_on() returns trigger language plpgsql as $$
      begin
        if pg_trigger_depth() < 2 or tg_op <> 'INSERT' and tg_op <> 'UPDATE' then
          raise exception 'audit_heads moves on by an audit event only' using errcode = 'integrity_constraint_violation';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger audit_head_moves_on before insert or update or delete or truncate on audit_heads
        for each statement execute function audit_head_moves_on()`);
    this.addSql(`create unique index audit_events_seq on audit_events (seq)`);
    this.addSql(`create index audit_events_kind on audit_events (kind, seq)`);
    this.addSql(`create index audit_events_actor on audit_events (actor, seq)`);
    this.addSql(`create index audit_events_subject on audit_events (subject, seq)`);
  }
}
