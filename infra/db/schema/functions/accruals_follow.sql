-- Guarantees that no day is accrued twice and no fraction of a penny is lost: each accrual of a vault must start
-- where the previous one ended.
create or replace function accruals_follow() returns trigger language plpgsql as $$
declare
  v_vault text;
begin
  select p.vault_id into v_vault
    from posted p
    left join vaults v using (vault_id, owner_id)
    left join lateral (
      select c.to_date, c.remainder from accruals c
       where c.vault_id = p.vault_id and c.to_date < p.to_date order by c.to_date desc limit 1) before on true
   where v.vault_id is null
      or (p.from_date, p.carried) is distinct from
         (coalesce(before.to_date, (v.created_at at time zone 'Europe/London')::date), coalesce(before.remainder, 0))
   limit 1;
  if found then
    raise exception 'an accrual of vault % does not follow the one before it', v_vault
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
