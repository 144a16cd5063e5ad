create or replace trigger identity_provider_stays_removed before update of removed_at on identity_providers
  for each row when (old.removed_at is not null and new.removed_at is distinct from old.removed_at)
  execute function stays('removed_at');
