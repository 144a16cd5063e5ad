-- The newest asserted revisions, the interest if all income is asserted and no other deposit earned it, how often money
-- came back by the ledger, and what payments of the house account sent and gave back. The caller checks the MACs.
-- The service's role can move the ledger and a payment's status, but cannot take back that it was ordered. So each attempt
-- counts as sent, without the one under way of `p_payment`. The house account pays nothing more for a person who ever
-- authorised a bank to pay, so their rows tell which payments it made.
drop function if exists owner_evidence(text, text);
create or replace function owner_evidence(p_owner text, p_payment text)
returns table (asserted jsonb, interest bigint, returns bigint, sent bigint, given_back jsonb) language sql stable as $$
  with newest as (
    select distinct on (pay_date, number) calculation_id, owner_id, pay_date, number, revision, gross_income,
           income_evidence, calculated_by, mac, mac_version
      from calculations
     where owner_id = p_owner order by pay_date, number, revision desc),
  gains as (
    select t.kind, t.subject_id, exists (
             select from calculations c
              where c.calculation_id = t.subject_id and c.owner_id = p_owner and c.calculated_at = t.created_at) as calculated
      from ledger_transfers t
     where t.owner_id = p_owner
       and t.kind in ('paycheck', 'paycheck_revision', 'payment_failed', 'payment_cancelled', 'payment_returned')),
  house as (
    select payment_id, amount, attempt - (payment_id is not distinct from p_payment and status in ('pending', 'processing'))::int as attempts
      from payments
     where owner_id = p_owner
       and (connection_id is null or not (starts_with(p_owner, 'usr_') and exists (
         select from bank_connections c
          where c.owner_id = p_owner and c.kind = 'payments' and c.authorised_at is not null))))
  select coalesce((select jsonb_agg(to_jsonb(newest)) from newest where income_evidence = 'asserted'), '[]'),
         case when exists (select from newest where income_evidence <> 'asserted') or exists (
                select from gains where kind like 'paycheck%' group by subject_id, calculated having not calculated or count(*) > 1)
              then 0 else -owner_balance(p_owner, 'interest') end::bigint,
         (select count(*) from gains where kind like 'payment%'),
         coalesce((select sum(amount * attempts) from house), 0)::bigint,
         coalesce((select jsonb_agg(to_jsonb(o) || jsonb_build_object('amount', house.amount))
                     from payment_outcomes o join house using (payment_id)
                    where o.owner_id = p_owner and o.outcome <> 'unsent'), '[]')
$$;
