-- An account's identity never changes, so only inserts are checked.
create or replace function ledger_account_starts() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 then
    raise exception 'a balance changes by a ledger entry only' using errcode = 'integrity_constraint_violation';
  end if;
  if (new.kind = 'vault') <> (new.vault_id <> '') then
    raise exception 'an account is of a vault and names it, or neither'
      using errcode = 'check_violation', constraint = 'ledger_accounts_vault';
  end if;
  return new;
end $$;
