-- Returns the oldest allocations, at most 1,000, even if they hold less than the amount.
create or replace function allocations_to_take(p_vault text, p_amount bigint, p_allocation text)
returns table (allocation_id text, available bigint) language plpgsql stable as $$
declare
  v_missing bigint := p_amount;
begin
  if p_allocation is not null then
    return query select l.allocation_id, l.available from allocations l
                  where l.allocation_id = p_allocation and l.vault_id = p_vault;
    return;
  end if;
  for allocation_id, available in
    select l.allocation_id, l.available from allocations l
     where l.vault_id = p_vault and l.available > 0 order by l.seq limit 1000
  loop
    return next;
    v_missing := v_missing - available;
    exit when v_missing <= 0;
  end loop;
end $$;
