-- The status at this moment, whether or not a worker has stored yet that the time is over.
create or replace function connection_status(p_status text, p_authorise_until timestamptz, p_valid_until date)
returns text language sql stable as $$
  select case
    when p_status = 'awaiting_authorisation' and p_authorise_until <= now() then 'expired'
    when p_status in ('authorised', 'reauthorisation_needed') and p_valid_until < business_today() then 'expired'
    else p_status end
$$;
