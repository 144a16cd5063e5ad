-- What each vault earns, in whole pence and units of 1/365,000,000 of a penny. Interest earns interest from the end of
-- its period. A vault whose interest would exceed the owner's limit gets one row, without a period.
create or replace function interest_plan(p_vaults text[], p_to date, p_monthly boolean) returns setof planned_accrual
language plpgsql stable as $$
declare
  c_penny constant numeric := 365000000;
  c_most constant numeric := 7199254740991;
  v_all planned_accrual[] := '{}';
  v_first int;
  v_period interest_movement;
  v_one planned_accrual;
  v_held numeric;
  v_earned numeric;
  v_earned_before numeric;
  v_units numeric;
  v_accrued numeric;
begin
  for v_period in select * from interest_movements(p_vaults, p_to, p_monthly) loop
    if v_period.owner_id is distinct from v_one.owner_id then
      v_earned := v_period.earned;
    end if;
    if v_period.vault_id is distinct from v_one.vault_id then
      v_first := cardinality(v_all);
      v_earned_before := v_earned;
      v_held := v_period.opening;
      v_one.remainder := v_period.carried;
      v_one.balance_after := v_period.balance;
    elsif v_one.to_date is null then
      continue;
    end if;
    v_one.balance_days := v_held * (v_period.to_day - v_period.from_day) + v_period.moment;
    v_units := v_one.balance_days * v_period.millionths + v_one.remainder;
    v_accrued := div(2 * v_units + c_penny, 2 * c_penny);
    v_held := v_held + v_period.amount + v_accrued;
    v_earned := v_earned + v_accrued;
    if v_earned > c_most then
      v_earned := v_earned_before;
      v_one := null;
      v_one.vault_id := v_period.vault_id;
      v_one.owner_id := v_period.owner_id;
      v_all := v_all[:v_first] || v_one;
      continue;
    end if;
    v_one := row(v_period.vault_id, v_period.owner_id, v_period.from_day, v_period.to_day, v_period.annual_rate,
      v_period.millionths, v_one.balance_days, v_one.remainder, v_accrued, v_units - v_accrued * c_penny,
      v_one.balance_after + v_accrued, v_period.entries_before, v_period.entries_seen);
    v_all := v_all || v_one;
  end loop;
  return query select p.* from unnest(v_all) p;
end $$;
