create or replace trigger client_stays_removed before update of removed_at on oauth_clients
  for each row when (old.removed_at is not null and new.removed_at is distinct from old.removed_at)
  execute function stays('removed_at');
