-- Renames a vault, or closes it. Runs as the schema's owner, and accepts only the present time. The fixed `search_path`
-- stops callers from substituting tables or operators of their own.
create or replace function vault_change(p_owner text, p_vault text, p_label text, p_closed_at timestamptz) returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  if p_closed_at is not null then
    perform require_present(array[p_closed_at]);
  end if;
  update vaults set label = p_label, closed_at = p_closed_at where vault_id = p_vault and owner_id = p_owner;
  if not found then
    raise exception 'a vault that must exist does not' using errcode = 'integrity_constraint_violation';
  end if;
end $$;

revoke execute on function vault_change from public;
