create or replace trigger consent_stays_ended before update on bank_consents
  for each row execute function consent_stays_ended();
