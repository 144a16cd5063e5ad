create or replace trigger vaults_append_only before delete or truncate on vaults
  for each statement execute function refuse_change();

create or replace trigger vault_stays before update on vaults for each row execute function vault_stays();

create or replace trigger vaults_within_limit after insert on vaults
  referencing new table as made for each statement execute function vaults_within_limit();
