create or replace trigger credential_stays before update on credentials
  for each row execute function credential_stays();

create or replace trigger credentials_are_kept before delete or truncate on credentials
  for each statement execute function refuse_change();
