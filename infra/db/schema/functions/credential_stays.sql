-- Signed content never changes, and revocations are final. Signing notifies waiting processes.
create or replace function credential_stays() returns trigger language plpgsql as $$
begin
  if old.issued_at is null and new.issued_at is not null
     and to_jsonb(new) - array['issued_at', 'expires_at', 'kid', 'sd_jwt']
       = to_jsonb(old) - array['issued_at', 'expires_at', 'kid', 'sd_jwt'] then
    perform pg_notify('changed', new.credential_id);
    return new;
  end if;
  if old.issued_at is not null and old.revoked_at is null and new.revoked_at is not null
     and to_jsonb(new) - 'revoked_at' = to_jsonb(old) - 'revoked_at' then
    return new;
  end if;
  raise exception 'a credential is signed once and revoked once, and else stays as it is'
    using errcode = 'integrity_constraint_violation';
end $$;
