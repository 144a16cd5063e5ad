-- As PL/pgSQL, sees what others committed while the calling statement waited for the owner's lock.
create or replace function vaults_held(p_owner text) returns int language plpgsql as $$
begin
  return (select count(*) from vaults v where v.owner_id = p_owner);
end $$;
