-- Returns the ordinals of the keys that no other transaction holds and that have no unexpired response.
-- Looks up one key at a time, by index. Each look-up is a statement of its own after the lock, so that it sees what others
-- committed until then.
create or replace function idempotency_claims(
  p_waits boolean, p_locks bigint[], p_callers text[], p_operations text[], p_keys text[]
) returns setof int language plpgsql as $$
declare
  v_claimed boolean := false;
begin
  for v_ordinal in 1 .. cardinality(p_locks) loop
    continue when not pg_try_advisory_xact_lock(p_locks[v_ordinal]);
    perform from idempotency_records r
      where r.caller = p_callers[v_ordinal] and r.operation = p_operations[v_ordinal] and r.key = p_keys[v_ordinal]
        and r.created_at > now() - interval '24 hours';
    if not found then
      v_claimed := true;
      return next v_ordinal;
    end if;
  end loop;
  if p_waits and not v_claimed then
    perform stored_meanwhile();
  end if;
end $$;
