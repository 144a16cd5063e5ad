create or replace function owner_lock(p_owner text, p_at timestamptz)
returns table (buffer_rate text, safe_to_spend bigint, buffer bigint, in_flight bigint) language plpgsql as $$
begin
  buffer_rate := owner_locked(p_owner, p_at);
  return query select buffer_rate, owner_balance(p_owner, 'safe_to_spend'), owner_balance(p_owner, 'buffer'),
                      owner_balance(p_owner, 'in_flight');
end $$;
