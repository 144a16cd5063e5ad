-- What a bank booked stays as it was read first. Only the identity by which a bank reports it changes.
create or replace function bank_transaction_stays() returns trigger language plpgsql as $$
begin
  if (new.transaction_id, new.seq, new.account_id, new.owner_id, new.amount, new.booked_on, new.texts_sealed, new.created_at) <>
     (old.transaction_id, old.seq, old.account_id, old.owner_id, old.amount, old.booked_on, old.texts_sealed, old.created_at) then
    raise exception 'transaction % cannot change its owner, account, amount, day or texts', new.transaction_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
