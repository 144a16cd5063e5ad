create or replace trigger key_taken_away after update on api_keys for each row
  when (old.revoked_at is null and new.revoked_at is not null
        or new.expires_at < coalesce(old.expires_at, 'infinity'))
  execute function taken_away_note('key', 'key_id');

create or replace trigger grant_taken_away after update on token_families for each row
  when (old.ended_at is null and new.ended_at is not null)
  execute function taken_away_note('grant', 'family_id');

create or replace trigger password_taken_away after update on users for each row
  when (old.password_hash is distinct from new.password_hash and old.password_hash is not null)
  execute function taken_away_note('password', 'user_id');

create or replace trigger user_taken_away after update on users for each row
  when (old.disabled_at is null and new.disabled_at is not null)
  execute function taken_away_note('user', 'user_id');

create or replace trigger client_taken_away after update on oauth_clients for each row
  when (old.removed_at is null and new.removed_at is not null)
  execute function taken_away_note('client', 'client_id');

create or replace trigger payee_taken_away after update on payees for each row
  when (old.removed_at is null and new.removed_at is not null)
  execute function taken_away_note('payee', 'provider_id');

create or replace trigger connection_taken_away after update on bank_connections for each row
  when (old.status <> new.status and new.status in ('rejected', 'revoked', 'expired'))
  execute function taken_away_note('connection', 'connection_id');

create or replace trigger record_taken_away after update on vault_records for each row
  when (old.erased_at is null and new.erased_at is not null)
  execute function taken_away_note('pii', 'vault_ref');

create or replace trigger document_taken_away after update on documents for each row
  when (old.erased_at is null and new.erased_at is not null)
  execute function taken_away_note('pii', 'doc_id');

create or replace trigger credential_taken_away after update on credentials for each row
  when (old.revoked_at is null and new.revoked_at is not null)
  execute function taken_away_note('credential', 'credential_id');
