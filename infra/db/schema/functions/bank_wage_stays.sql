-- A wage stays the credit that it was recognised in, and its status goes forward only. If its transaction was deleted and the bank
-- reports it again, the wage belongs to the new row, perhaps of another account's row. A payer can become known later.
create or replace function bank_wage_stays() returns trigger language plpgsql as $$
begin
  if (new.wage_id, new.seq, new.owner_id, new.amount, new.received_on, new.created_at) <>
     (old.wage_id, old.seq, old.owner_id, old.amount, old.received_on, old.created_at)
     or new.payer_hash is distinct from coalesce(old.payer_hash, new.payer_hash)
     or (new.account_id <> old.account_id and new.transaction_id = old.transaction_id)
     or (new.transaction_id <> old.transaction_id
         and exists (select from bank_transactions t where t.transaction_id = old.transaction_id)) then
    raise exception 'wage % cannot become another credit', new.wage_id using errcode = 'integrity_constraint_violation';
  end if;
  if new.status <> old.status and (old.status = 'reversed' or new.status = 'suggested') then
    raise exception 'wage % cannot go from % to %', new.wage_id, old.status, new.status
      using errcode = 'integrity_constraint_violation';
  end if;
  if new.calculation_id is distinct from coalesce(old.calculation_id, new.calculation_id)
     or (old.own_sign_in and not new.own_sign_in)
     or new.confirmed_at is distinct from coalesce(old.confirmed_at, new.confirmed_at) then
    raise exception 'wage % keeps its paycheck, and who confirmed it', new.wage_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
