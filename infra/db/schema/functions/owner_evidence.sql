-- The newest asserted revisions, of which the caller checks the MACs, the interest if all income is asserted, and how much other
-- payments of the house account have spent.
drop function if exists owner_evidence(text, text);
create or replace function owner_evidence(p_owner text, p_payment text)
returns table (asserted jsonb, interest bigint, spent bigint) language sql stable as $$
  with newest as (
    select distinct on (pay_date, number) calculation_id, owner_id, pay_date, number, revision, gross_income,
           income_evidence, calculated_by, mac, mac_version
      from calculations
     where owner_id = p_owner order by pay_date, number, revision desc)
  select coalesce((select jsonb_agg(to_jsonb(newest)) from newest where income_evidence = 'asserted'), '[]'),
         case when exists (select from newest where income_evidence <> 'asserted') then 0
              else -owner_balance(p_owner, 'interest') end::bigint,
         coalesce((select sum(p.amount) from payments p
                    where p.owner_id = p_owner and p.connection_id is null and p.payment_id is distinct from p_payment
                      and p.status in ('completed', 'processing', 'pending')), 0)::bigint
$$;
