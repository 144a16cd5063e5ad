create or replace function ledger_balance_only_by_entry() returns trigger language plpgsql as $$
begin
  raise exception 'a balance changes by a ledger entry only' using errcode = 'integrity_constraint_violation';
end $$;
