-- The newest asserted revisions, the interest if all income is asserted and no other deposit earned it, how often money
-- came back by the ledger, and what payments of the house account sent and gave back. The caller checks the MACs.
-- The service's role can move the ledger and a payment's status, but cannot take back that it was ordered. So each attempt
-- counts as sent, without the one under way of `p_payment`. The house account pays nothing more for a person who ever
-- authorised a bank to pay, so their rows tell which payments it made. With `p_by_house`, it is to pay now, so it made all.
-- The role can hide a deposit under a later revision: interest counts only as far as the asserted income could have earned it,
-- at the highest rate, from two months before it was calculated or paid.
drop function if exists owner_evidence(text, text, boolean);
create or replace function owner_evidence(p_owner text, p_payment text, p_by_house boolean)
returns table (asserted jsonb, interest bigint, returns bigint, sent bigint, given_back json) language sql stable as $$
  with newest as (
    select distinct on (pay_date, number) calculation_id, owner_id, pay_date, number, revision, gross_income,
           income_evidence, calculated_by, mac, mac_version, least(pay_date, calculated_at::date) - 62 as earns_from
      from calculations
     where owner_id = p_owner order by pay_date, number, revision desc),
  gains as (
    select t.kind, t.subject_id, t.kind like 'paycheck%' and exists (
             select from calculations c
              where c.calculation_id = t.subject_id and c.owner_id = p_owner and c.calculated_at = t.created_at) as calculated
      from ledger_transfers t
     where t.owner_id = p_owner
       and t.kind in ('paycheck', 'paycheck_revision', 'payment_failed', 'payment_cancelled', 'payment_returned')),
  persons as materialized (
    select not p_by_house and starts_with(p_owner, 'usr_') and exists (
      select from bank_connections c
       where c.owner_id = p_owner and c.kind = 'payments' and c.authorised_at is not null) as own)
  select coalesce((select jsonb_agg(to_jsonb(newest) - 'earns_from') from newest where income_evidence = 'asserted'), '[]'),
         case when exists (select from newest where income_evidence <> 'asserted') or exists (
                select from gains where kind like 'paycheck%' group by subject_id, calculated having not calculated or count(*) > 1)
              then 0
              else least(-owner_balance(p_owner, 'interest'), (
                select ceil(sum(gross_income * (exp(
                         (select max(annual_rate::float8) from yield_rates where vault_type > '') * greatest(business_today() - earns_from, 0) / 365) - 1)))
                  from newest)) end::bigint,
         (select count(*) from gains where kind like 'payment%'),
         coalesce((select sum(p.amount * (
                            p.attempt - (p.payment_id is not distinct from p_payment and p.status in ('pending', 'processing'))::int))
                     from payments p, persons where p.owner_id = p_owner and (p.connection_id is null or not own)), 0)::bigint,
         coalesce((select json_agg(json_build_object(
                            'outcome_id', o.outcome_id, 'payment_id', o.payment_id, 'sends', o.sends, 'outcome', o.outcome, 'mac', o.mac,
                            'mac_version', o.mac_version, 'amount', case when p.connection_id is null or not own then p.amount else 0 end))
                     from payment_outcomes o join payments p on p.payment_id = o.payment_id and p.owner_id = p_owner, persons
                    where o.owner_id = p_owner and o.outcome <> 'unsent'), '[]')
$$;
