-- The London day of a person's first authorised connection, of any kind. From this day on, and for good, the person's vaults earn
-- nothing. Returns a table, because PostgreSQL inlines such a function.
create or replace function bank_connected_on(p_owner text) returns table (connected_on date) language sql stable as $$
  select (min(c.authorised_at) at time zone 'Europe/London')::date from bank_connections c where c.owner_id = p_owner
$$;
