-- Locks owners and returns their ordinals. With waiting, all owners are locked, and missing owners are inserted.
-- Without waiting, only free existing owners are locked; busy owners return a negative ordinal.
-- Looks up one owner at a time, because PostgreSQL plans a look-up by key once per connection. It planned a join of all
-- owners again in every call, which took longer than the join itself.
create or replace function owners_locked(p_waits boolean, p_owners text[], p_ats timestamptz[])
returns table (ordinal int, buffer_rate text) language plpgsql as $$
begin
  for v_ordinal in 1 .. cardinality(p_owners) loop
    ordinal := v_ordinal;
    if p_waits then
      buffer_rate := owner_locked(p_owners[v_ordinal], p_ats[v_ordinal]);
    else
      select o.buffer_rate into buffer_rate from owners o
       where o.owner_id = p_owners[v_ordinal] for no key update skip locked;
      if not found then
        select o.buffer_rate into buffer_rate from owners o where o.owner_id = p_owners[v_ordinal];
        continue when not found;
        ordinal := -v_ordinal;
      end if;
    end if;
    return next;
  end loop;
end $$;
