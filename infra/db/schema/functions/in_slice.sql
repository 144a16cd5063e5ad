-- Each night, `verify` checks one of 28 slices of what is old. Without a slice, everything is chosen.
create or replace function in_slice(p_id text, p_slice int) returns boolean language sql immutable as $$
  select p_slice is null or (hashtext(p_id) & 2147483647) % 28 = p_slice
$$;
