-- Every owner with records has a row in one of these tables.
create or replace function owner_has_records(p_owner text) returns boolean language sql stable as $$
  select exists (select from owners where owner_id = p_owner)
      or exists (select from vault_records where owner_id = p_owner)
      or exists (select from documents where owner_id = p_owner)
      or exists (select from debt_plans where owner_id = p_owner)
$$;
