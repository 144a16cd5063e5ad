create or replace trigger ledger_account_starts before insert on ledger_accounts
  for each row execute function ledger_account_starts();

create or replace trigger ledger_account_stays before update of account_id, owner_id, kind, vault_id on ledger_accounts
  for each statement execute function ledger_account_stays();

create or replace trigger ledger_accounts_stay before delete or truncate on ledger_accounts
  for each statement execute function ledger_balance_only_by_entry();
