create or replace function ledger_account_stays() returns trigger language plpgsql as $$
begin
  raise exception 'an account stays what it was made as' using errcode = 'integrity_constraint_violation';
end $$;
