create or replace trigger bank_account_stays before update on bank_accounts
  for each row execute function bank_account_stays();
