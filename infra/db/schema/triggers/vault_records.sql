create or replace trigger vault_record_stays_erased before update on vault_records
  for each row when (old.sealed is null) execute function vault_record_stays_erased();
