-- Locks the owners of vaults, always in the same order, before interest is posted. `p_wait_ms` limits the wait for locked
-- owners: null waits without limit, 0 leaves out locked owners.
create or replace function interest_open(p_vaults text[], p_wait_ms int)
returns table (vault_id text, owner_id text, made_on date, accrued_to date) language plpgsql as $$
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
    select v.vault_id, v.owner_id, (v.created_at at time zone 'Europe/London')::date,
           (select max(c.to_date) from accruals c where c.vault_id = v.vault_id)
      from unnest(p_vaults) with ordinality as wanted (id, ordinal)
      join vaults v on v.vault_id = wanted.id where v.owner_id = any (v_owners) order by wanted.ordinal;
end $$;
