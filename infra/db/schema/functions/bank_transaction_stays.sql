-- What a bank booked stays as it was read first. The identity by which a bank reports it changes, and what an earlier report left out
-- of its parties can be added.
create or replace function bank_transaction_stays() returns trigger language plpgsql as $$
begin
  if (new.transaction_id, new.seq, new.account_id, new.owner_id, new.amount, new.booked_on, new.texts_sealed, new.created_at) <>
     (old.transaction_id, old.seq, old.account_id, old.owner_id, old.amount, old.booked_on, old.texts_sealed, old.created_at)
     or new.payer_hash is distinct from coalesce(old.payer_hash, new.payer_hash)
     or new.debtor_hash is distinct from coalesce(old.debtor_hash, new.debtor_hash)
     or new.counterparty_hash is distinct from old.counterparty_hash then
    raise exception 'transaction % cannot change its owner, account, amount, day, texts or parties', new.transaction_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
