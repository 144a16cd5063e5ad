-- How much income has evidence, and how much other payments of the house account have spent.
create or replace function owner_evidence(p_owner text, p_payment text)
returns table (evidenced bigint, spent bigint) language sql stable as $$
  with newest as (
    select distinct on (pay_date, number) gross_income, income_evidence from calculations
     where owner_id = p_owner order by pay_date, number, revision desc)
  select coalesce((select sum(gross_income) from newest where income_evidence = 'asserted'), 0)::bigint
           + case when exists (select from newest where income_evidence <> 'asserted') then 0
                  else -owner_balance(p_owner, 'interest') end,
         coalesce((select sum(p.amount) from payments p
                    where p.owner_id = p_owner and p.connection_id is null and p.payment_id is distinct from p_payment
                      and p.status in ('completed', 'processing', 'pending')), 0)::bigint
$$;
