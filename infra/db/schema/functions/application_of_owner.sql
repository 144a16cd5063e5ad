create or replace function application_of_owner(p_owner text) returns text language sql stable as $$
  select app_id from owner_applications where owner_id = p_owner
$$;
