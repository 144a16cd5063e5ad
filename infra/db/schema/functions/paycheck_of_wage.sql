-- Which paycheck of the day the next wage is. The first wage means the paycheck that may be there already; each further one is its own.
create or replace function paycheck_of_wage(p_owner text, p_pay_date date) returns int
language sql stable as $$
  select case when bool_or(wage_id is not null) then max(number) + 1 else 1 end
    from calculations where owner_id = p_owner and pay_date = p_pay_date
$$;
