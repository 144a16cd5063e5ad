-- Only the label of an open vault changes, and only an empty vault is closed. A closed vault stays as it is.
create or replace function vault_stays() returns trigger language plpgsql as $$
begin
  if old.closed_at is not null or (new.vault_id, new.seq, new.owner_id, new.vault_type, new.created_at)
       is distinct from (old.vault_id, old.seq, old.owner_id, old.vault_type, old.created_at) then
    raise exception 'only the label of an open vault changes' using errcode = 'integrity_constraint_violation';
  end if;
  if new.closed_at is not null and exists (
       select from ledger_accounts a
        where a.owner_id = new.owner_id and a.kind = 'vault' and a.vault_id = new.vault_id and a.balance <> 0) then
    raise exception 'a vault that holds money cannot be closed' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
