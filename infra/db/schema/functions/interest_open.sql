-- Returns the state of vaults before interest is posted. Locks the owners first, always in the same order.
-- `p_wait_ms` limits the wait for locked owners: null waits without limit, 0 skips locked owners.
create or replace function interest_open(p_vaults text[], p_wait_ms int) returns setof vault_standing
language plpgsql as $$
declare
  v_owners text[] := array(select distinct v.owner_id from vaults v where v.vault_id = any (p_vaults));
begin
  if p_wait_ms = 0 then
    v_owners := array(
      select o.owner_id from owners o where o.owner_id = any (v_owners)
       order by o.owner_id for no key update skip locked);
  else
    perform set_config('lock_timeout', coalesce(p_wait_ms, 0)::text, true);
    perform from owners o where o.owner_id = any (v_owners) order by o.owner_id for no key update;
  end if;
  return query
    select s.* from interest_standing(array(
      select v.vault_id from unnest(p_vaults) with ordinality as wanted (vault_id, ordinal)
        join vaults v using (vault_id) where v.owner_id = any (v_owners) order by wanted.ordinal)) s;
end $$;
