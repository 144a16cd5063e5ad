-- Locks the owner's row, and creates a missing row. Balances read afterwards cannot change until the commit.
create or replace function owner_locked(p_owner text, p_at timestamptz) returns text language plpgsql as $$
declare
  v_rate text;
begin
  select o.buffer_rate into v_rate from owners o where o.owner_id = p_owner for no key update;
  if not found then
    insert into owners (owner_id, created_at) values (p_owner, p_at) on conflict do nothing;
    select o.buffer_rate into v_rate from owners o where o.owner_id = p_owner for no key update;
  end if;
  return v_rate;
end $$;
