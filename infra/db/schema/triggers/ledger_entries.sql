create or replace trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

create or replace trigger ledger_entries_move_balances after insert on ledger_entries
  referencing new table as posted for each statement execute function ledger_entries_move_balances();
