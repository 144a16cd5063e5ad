-- An allocation must stay in a vault of its owner. A foreign key would check less, and cost a statement per row.
create or replace function allocations_in_vaults() returns trigger language plpgsql as $$
begin
  if exists (select from made where not exists (
       select from vaults v where v.vault_id = made.vault_id and v.owner_id = made.owner_id)) then
    raise exception 'a lot is in no vault of its owner' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
