-- A row with its MAC of before the rotation fits again, and would never end.
create or replace trigger api_key_still_ends before update of expires_at on api_keys
  for each row when (old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at))
  execute function refuse_change();
