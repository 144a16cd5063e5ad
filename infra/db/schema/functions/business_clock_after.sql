create or replace function business_clock_after(p_from timestamptz, p_advance interval) returns timestamptz
language sql stable set timezone = 'Europe/London' as $$ select p_from + p_advance $$;
