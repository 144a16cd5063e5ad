create or replace function stored_meanwhile() returns text language plpgsql as $$
begin
  raise exception 'an answer that counts is stored under this key' using errcode = 'RF001';
end $$;
