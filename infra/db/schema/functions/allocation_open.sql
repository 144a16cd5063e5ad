-- As PL/pgSQL, each statement sees what others committed during the wait for the lock.
create or replace function allocation_open(p_allocation text, p_at timestamptz) returns setof allocations
language plpgsql as $$
declare
  v_owner text;
begin
  select l.owner_id into v_owner from allocations l where l.allocation_id = p_allocation;
  if not found then
    return;
  end if;
  perform owner_lock(v_owner, p_at);
  return query select * from allocations l where l.allocation_id = p_allocation;
end $$;
