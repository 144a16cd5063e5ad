create or replace trigger family_stays_ended before update of ended_at on token_families
  for each row when (old.ended_at is not null and new.ended_at is distinct from old.ended_at)
  execute function stays('ended_at');
