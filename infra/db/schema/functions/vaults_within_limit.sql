create or replace function vaults_within_limit() returns trigger language plpgsql as $$
begin
  if exists (select from (select distinct owner_id from made) m where vaults_held(m.owner_id) > 500) then
    raise exception 'an owner can have at most 500 vaults' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
