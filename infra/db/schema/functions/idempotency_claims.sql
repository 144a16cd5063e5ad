-- Must be two statements: only the second sees what others committed while the first waited for its locks.
create or replace function idempotency_claims(
  p_waits boolean, p_locks bigint[], p_callers text[], p_operations text[], p_keys text[]
) returns setof int language plpgsql as $$
declare
  v_locked int[] := array(
    select asked.place from unnest(p_locks) with ordinality as asked (lock, place)
     where pg_try_advisory_xact_lock(asked.lock));
begin
  return query
    select asked.place::int
      from unnest(p_callers, p_operations, p_keys) with ordinality as asked (caller, operation, key, place)
     where asked.place = any(v_locked) and not exists (
       select from idempotency_records r
        where r.caller = asked.caller and r.operation = asked.operation and r.key = asked.key
          and r.created_at > now() - interval '24 hours');
  if p_waits and not found then
    perform stored_meanwhile();
  end if;
end $$;
