-- Moving the clock first stops new caching, then waits until cached values expire, then changes the offset. An advisory
-- lock signals the move, because other transactions see the lock before the commit.
create or replace function business_clock_hold(p_known_for_s double precision) returns bigint language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7201604, 1);
  perform set_config('ringfence.moves_clock', 'yes', true);
  perform pg_sleep(p_known_for_s);
  return (select c.offset_ms from business_clock c where c.clock_id = 'sandbox');
end $$;
