-- Times must be within a minute of the database's clock. In a sandbox, any time up to the business clock is allowed,
-- because a process may have read the clock before a move.
create or replace function require_present(p_ats timestamptz[]) returns void language plpgsql as $$
declare
  v_from timestamptz := clock_timestamp() - interval '60 seconds';
  v_to timestamptz := clock_timestamp() + interval '60 seconds';
  v_ahead interval;
  v_at timestamptz;
begin
  -- Compared one by one, because a query over so few would cost several times as much.
  foreach v_at in array coalesce(p_ats, '{}') loop
    if v_at < v_from or v_at > v_to then
      if v_ahead is null then
        select c.offset_ms * interval '1 millisecond' into v_ahead
          from business_clock c, deployment d where d.environment = 'sandbox';
        v_ahead := coalesce(v_ahead, interval '0');
        v_from := least(v_from, v_from + v_ahead);
        v_to := greatest(v_to, v_to + v_ahead);
      end if;
      if v_at < v_from or v_at > v_to then
        raise exception 'a time is more than a minute from the clock of the database' using errcode = 'RF002';
      end if;
    end if;
  end loop;
end $$;
