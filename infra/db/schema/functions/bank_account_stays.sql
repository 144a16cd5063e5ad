create or replace function bank_account_stays() returns trigger language plpgsql as $$
begin
  if (new.account_id, new.seq, new.owner_id, new.kind, new.currency, new.created_at) <>
     (old.account_id, old.seq, old.owner_id, old.kind, old.currency, old.created_at) then
    raise exception 'account % cannot change its owner, kind or currency', new.account_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
