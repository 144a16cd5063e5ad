create or replace function vaults_within_limit() returns trigger language plpgsql as $$
begin
  if exists (
    select from (select distinct owner_id from made) m, lateral (select vaults_held(m.owner_id) as held) h
     where h.held[1] > 500 or h.held[2] > 2000) then
    raise exception 'an owner can have at most 500 open vaults, and 2000 in all' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
