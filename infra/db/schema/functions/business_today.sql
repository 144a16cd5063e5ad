create or replace function business_today() returns date language sql stable as $$
  select ((clock_timestamp() + coalesce((
            select c.offset_ms * interval '1 millisecond' from business_clock c, deployment d
             where d.environment = 'sandbox'), interval '0')) at time zone 'Europe/London')::date
$$;
