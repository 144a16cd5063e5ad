-- The periods of one rate, oldest first. A monthly run splits them by month, and leaves out the last days if their rate
-- is zero.
create or replace function interest_periods(p_type text, p_connected date, p_from date, p_to date, p_monthly boolean)
returns table (number bigint, from_day date, to_day date, annual_rate text, millionths int) language sql stable as $$
  with stretch as (
    select greatest(r.starts, p_from) as from_day, least(r.ends, p_to) as to_day, r.annual_rate, r.millionths
      from interest_rates(p_type, p_connected) r
     where greatest(r.starts, p_from) < least(r.ends, p_to)
        or not p_monthly and p_from = p_to and r.starts <= p_to and p_to < r.ends)
  select row_number() over by_day, cut.day, coalesce(lead(cut.day) over by_day, s.to_day), s.annual_rate, s.millionths
    from stretch s
   cross join lateral (
     select s.from_day as day
     union all
     select month::date
       from generate_series(date_trunc('month', s.from_day::timestamp) + interval '1 month', s.to_day - interval '1 day',
                            interval '1 month') month
      where p_monthly and s.millionths > 0) cut
   where not p_monthly or s.from_day <= (select max(earning.from_day) from stretch earning where earning.millionths > 0)
  window by_day as (order by cut.day)
$$;
