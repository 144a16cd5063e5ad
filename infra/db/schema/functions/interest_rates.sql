-- The annual rates of a type of vault, each from `starts` up to, but not including, `ends`. The first also applies to
-- earlier days. From the day on which the owner connects a bank, the rate is zero.
create or replace function interest_rates(p_type text, p_connected date)
returns table (starts date, ends date, annual_rate text, millionths int) language sql stable as $$
  select r.starts, least(r.ends, p_connected), r.annual_rate, (r.annual_rate::numeric * 1000000)::int
    from (
      select case when lag(from_date) over by_day is null then '-infinity' else from_date end as starts,
             coalesce(lead(from_date) over by_day, 'infinity') as ends, annual_rate
        from yield_rates where vault_type = p_type window by_day as (order by from_date)) r
   where p_connected is null or r.starts < p_connected
  union all
  select p_connected, 'infinity', '0', 0 where p_connected is not null
$$;
