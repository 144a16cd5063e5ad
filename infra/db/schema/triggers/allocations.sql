create or replace trigger allocation_stays before update of vault_id, owner_id on allocations
  for each statement execute function allocation_stays();

create or replace trigger allocations_in_vaults after insert on allocations
  referencing new table as made for each statement execute function allocations_in_vaults();
