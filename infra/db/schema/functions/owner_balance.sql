create or replace function owner_balance(p_owner text, p_kind text, p_vault text default '') returns bigint
language sql stable as $$
  select coalesce((select a.balance from ledger_accounts a
                    where a.owner_id = p_owner and a.kind = p_kind and a.vault_id = p_vault), 0)
$$;
