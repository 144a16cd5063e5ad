-- Processes cache a settled offset briefly (infra/clock.ts).
create or replace function business_clock_read() returns table (offset_ms bigint, settled boolean) language plpgsql as $$
begin
  settled := pg_try_advisory_xact_lock_shared(7201604, 1)
    and current_setting('ringfence.moves_clock', true) is distinct from 'yes';
  select c.offset_ms into offset_ms from business_clock c where c.clock_id = 'sandbox';
  return next;
end $$;
