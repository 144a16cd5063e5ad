-- Posts the interest of vaults for the days before `p_to`. Calculates everything itself, and locks the owners. An accrual
-- of at least a penny also posts a transfer, and an allocation in the vault. Returns a row without an accrual for a vault
-- whose interest would exceed the owner's limit.
-- Runs as the schema's owner, accepts only the present time, and refuses days that are not over. The fixed `search_path`
-- stops callers from substituting tables or operators of their own.
create or replace function interest_post(p_at timestamptz, p_vaults text[], p_to date, p_monthly boolean)
returns setof posted_accrual language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  v_posted accrual_to_post[];
begin
  perform require_present(array[p_at]);
  if (p_monthly is not null and p_to <= (p_at at time zone 'Europe/London')::date) is not true then
    raise exception 'an accrual ends after today' using errcode = 'integrity_constraint_violation';
  end if;
  perform from owners o where o.owner_id in (select v.owner_id from vaults v where v.vault_id = any (p_vaults))
    order by o.owner_id for no key update;
  v_posted := array(
    select row(p.ordinality, 'accr_' || uuidv7(), 'mov_' || uuidv7(), 'ent_' || uuidv7(), 'ent_' || uuidv7(),
               'alloc_' || uuidv7(), p.owner_id, p.vault_id, p.from_date, p.to_date, p.annual_rate, p.rate_millionths,
               p.balance_days, p.carried, p.accrued, p.remainder, p.balance_after, p.entries_before, p.entries_seen)::accrual_to_post
      from interest_plan(p_vaults, p_to, p_monthly) with ordinality p);

  with transfer as (
    insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
    select transfer_id, owner_id, 'interest', accrual_id, p_at from unnest(v_posted) where accrued > 0 order by ordinal)
  insert into ledger_accounts (owner_id, kind, vault_id)
  select distinct p.owner_id, 'interest', '' from unnest(v_posted) p
   where p.accrued > 0 and not exists (
     select from ledger_accounts a where a.owner_id = p.owner_id and a.kind = 'interest' and a.vault_id = '')
  on conflict do nothing;

  with leg as (
    select p.*, leg.* from unnest(v_posted) p
     cross join lateral (values (p.entry_out, 'interest', '', -p.accrued), (p.entry_in, 'vault', p.vault_id, p.accrued))
             as leg (entry_id, account, account_vault, amount)
     where p.accrued > 0
  ), entry as (
    insert into ledger_entries
      (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
    select leg.entry_id, leg.transfer_id, a.account_id, leg.owner_id, 'interest', leg.account_vault, leg.amount,
           a.balance + sum(leg.amount) over (partition by a.account_id order by leg.ordinal), p_at
      from leg
      join ledger_accounts a on a.owner_id = leg.owner_id and a.kind = leg.account and a.vault_id = leg.account_vault
     order by leg.ordinal, leg.amount
  ), allocation as (
    insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
    select allocation_id, owner_id, vault_id, 'interest', accrued, accrued, p_at
      from unnest(v_posted) where accrued > 0 order by ordinal)
  insert into accruals
    (accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried, accrued,
     remainder, balance_after, entries_before, entries_seen, posted_at)
  select accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried, accrued,
         remainder, balance_after, entries_before, entries_seen, p_at
    from unnest(v_posted) where to_date is not null order by ordinal;

  return query
    select case when p.to_date is not null then p.accrual_id end, p.vault_id, p.from_date, p.to_date, p.annual_rate,
           p.accrued, p.remainder, p.balance_after
      from unnest(v_posted) p order by p.ordinal;
end $$;

revoke execute on function interest_post from public;
