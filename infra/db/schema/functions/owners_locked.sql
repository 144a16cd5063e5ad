-- Locks owners and returns their places. With waiting, all owners are locked, and missing owners are inserted.
-- Without waiting, only free existing owners are locked; busy owners return a negative place.
-- Looks up one owner at a time, because PostgreSQL plans a look-up by key once per connection. It planned a join of all
-- owners again in every call, which took longer than the join itself.
create or replace function owners_locked(p_waits boolean, p_owners text[], p_ats timestamptz[])
returns table (place int, buffer_rate text) language plpgsql as $$
begin
  for v_place in 1 .. cardinality(p_owners) loop
    place := v_place;
    if p_waits then
      buffer_rate := owner_locked(p_owners[v_place], p_ats[v_place]);
    else
      select o.buffer_rate into buffer_rate from owners o
       where o.owner_id = p_owners[v_place] for no key update skip locked;
      if not found then
        select o.buffer_rate into buffer_rate from owners o where o.owner_id = p_owners[v_place];
        continue when not found;
        place := -v_place;
      end if;
    end if;
    return next;
  end loop;
end $$;
