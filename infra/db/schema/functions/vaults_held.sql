-- How many vaults the owner has open, and how many in all.
-- As PL/pgSQL, sees what others committed while the calling statement waited for the owner's lock.
create or replace function vaults_held(p_owner text) returns int[] language plpgsql as $$
begin
  return (select array[count(*) filter (where v.closed_at is null), count(*)]::int[] from vaults v where v.owner_id = p_owner);
end $$;
