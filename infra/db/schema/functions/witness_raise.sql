-- Raises the counter above itself and above `p_above`. It never falls.
-- Runs as the schema's owner. The fixed `search_path` stops callers from substituting tables or operators of their own.
create or replace function witness_raise(p_above bigint) returns bigint language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  raised bigint;
begin
  insert into witness (witness_id, counter, raised_at) values ('this', p_above + 1, clock_timestamp())
      on conflict (witness_id) do update
     set counter = greatest(witness.counter, p_above) + 1, raised_at = clock_timestamp()
  returning counter into raised;
  return raised;
end $$;

revoke execute on function witness_raise from public;
