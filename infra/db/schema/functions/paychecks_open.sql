-- As PL/pgSQL, each statement sees what others committed while an earlier statement waited for a lock.
-- `booked` and `income_evidence` are those of the newest revision, `asserted` its row with the MAC; `document_used`: the document already counted for another pay date;
-- `has_earned`: interest was posted for a day since the first calculation of the paycheck.
-- `number`: which paycheck of the day it is. 1, unless the income is a wage and the day has one already.
-- Looks up one paycheck at a time, by key. PostgreSQL kept a plan for all owners of a batch together, and this plan
-- could read whole tables. `limit 1` makes PostgreSQL look up each allocation, and each vault's accruals, by itself.
create or replace function paychecks_open(
  p_waits boolean, p_owners text[], p_ats timestamptz[], p_pay_dates date[],
  p_documents text[], p_wages text[],
  p_wanted_upto int[], p_vault_types text[], p_vault_labels text[]
) returns table (
  ordinal int, buffer_rate text, safe_to_spend bigint, buffer bigint, received bigint,
  vault_ids jsonb, number int, revision int, booked jsonb, income_evidence text, document_used boolean, has_earned boolean
) language plpgsql as $$
declare
  v_opened record;
  v_owner text;
  v_last calculations;
  v_since date;
begin
  for v_opened in select o.ordinal, o.buffer_rate from owners_locked(p_waits, p_owners, p_ats) o loop
    if v_opened.ordinal < 0 then
      return query select v_opened.ordinal, null, 0::bigint, 0::bigint, 0::bigint, '[]'::jsonb, 1, 0, null::jsonb,
                          null, false, false;
      continue;
    end if;
    ordinal := v_opened.ordinal;
    buffer_rate := v_opened.buffer_rate;
    v_owner := p_owners[ordinal];
    select coalesce(s.balance, 0), coalesce(b.balance, 0), -coalesce(e.balance, 0)
      into safe_to_spend, buffer, received
      from (select v_owner as owner_id) requested
      left join ledger_accounts s
        on s.owner_id = requested.owner_id and s.kind = 'safe_to_spend' and s.vault_id = ''
      left join ledger_accounts b on b.owner_id = requested.owner_id and b.kind = 'buffer' and b.vault_id = ''
      left join ledger_accounts e on e.owner_id = requested.owner_id and e.kind = 'employer' and e.vault_id = '';
    select coalesce(jsonb_agg((
             select v.vault_id from vaults v
              where v.owner_id = v_owner and v.vault_type = p_vault_types[wanted] and v.label = p_vault_labels[wanted]
                and v.closed_at is null)
             order by wanted), '[]')
      into vault_ids
      from generate_series(coalesce(p_wanted_upto[ordinal - 1], 0) + 1, p_wanted_upto[ordinal]) as wanted;
    number := 1;
    if p_wages[ordinal] is not null then
      number := paycheck_of_wage(v_owner, p_pay_dates[ordinal]);
    end if;
    select * into v_last from calculations c
     where c.owner_id = v_owner and c.pay_date = p_pay_dates[ordinal] and c.number = paychecks_open.number
     order by c.revision desc limit 1;
    revision := coalesce(v_last.revision, 0);
    income_evidence := v_last.income_evidence;
    booked := null;
    has_earned := false;
    if v_last.calculation_id is not null then
      booked := jsonb_build_object(
        'asserted', case when v_last.income_evidence = 'asserted' then jsonb_build_object(
          'calculation_id', v_last.calculation_id, 'owner_id', v_owner, 'pay_date', v_last.pay_date, 'number', v_last.number,
          'revision', v_last.revision, 'gross_income', v_last.gross_income, 'income_evidence', v_last.income_evidence,
          'calculated_by', v_last.calculated_by, 'mac', v_last.mac, 'mac_version', v_last.mac_version) end,
        'gross_income', v_last.gross_income, 'locked_buffer', v_last.locked_buffer,
        'safe_to_spend', v_last.safe_to_spend,
        'obligations', coalesce((
          select jsonb_agg(o.booked || jsonb_build_object('available', l.available) order by o.ordinal)
            from jsonb_array_elements(v_last.obligations) with ordinality as o (booked, ordinal),
                 lateral (select a.available from allocations a
                           where a.allocation_id = o.booked ->> 'allocation_id' limit 1) l), '[]'));
      select (c.calculated_at at time zone 'Europe/London')::date into v_since from calculations c
       where c.owner_id = v_owner and c.pay_date = p_pay_dates[ordinal] and c.number = paychecks_open.number
         and c.revision = 1;
      has_earned := exists (
        select from vaults v, lateral (
          select from accruals a
           where a.vault_id = v.vault_id and a.to_date > v_since and a.rate_millionths > 0 and a.balance_days > 0
           limit 1) earned
         where v.owner_id = v_owner);
    end if;
    document_used := p_documents[ordinal] is not null and exists (
      select from calculations c
       where c.owner_id = v_owner and c.payslip_doc_id = p_documents[ordinal]
         and c.income_evidence = 'payslip' and c.pay_date <> p_pay_dates[ordinal]);
    return next;
  end loop;
end $$;
