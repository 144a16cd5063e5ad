-- How much income has evidence, and how much other payments of the house account have spent. The ledger says what is spent, because
-- the service's role can write to payments. The house account pays nothing more for a person who ever authorised a bank to pay, and
-- the ledger does not tell their payments apart, so theirs are read from their rows.
create or replace function owner_evidence(p_owner text, p_payment text)
returns table (asserted jsonb, interest bigint, spent bigint) language sql stable as $$
  with newest as (
    select distinct on (pay_date, number) calculation_id, owner_id, pay_date, number, revision, gross_income,
           income_evidence, calculated_by, mac, mac_version
      from calculations
     where owner_id = p_owner order by pay_date, number, revision desc)
  select coalesce((select sum(gross_income) from newest where income_evidence = 'asserted'), 0)::bigint
           + case when exists (select from newest where income_evidence <> 'asserted') then 0
                  else -owner_balance(p_owner, 'interest') end,
         case when starts_with(p_owner, 'usr_') and exists (
                select from bank_connections c
                 where c.owner_id = p_owner and c.kind = 'payments' and c.authorised_at is not null)
              then coalesce((select sum(p.amount) from payments p
                              where p.owner_id = p_owner and p.connection_id is null and p.payment_id is distinct from p_payment
                                and p.status in ('completed', 'processing', 'pending')), 0)::bigint
              else owner_balance(p_owner, 'in_flight') + owner_balance(p_owner, 'payees')
                     - coalesce((select p.amount from payments p
                                  where p.payment_id = p_payment and p.owner_id = p_owner and payment_is_out(p_payment)), 0) end
$$;
