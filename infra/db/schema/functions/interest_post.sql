-- Posts accruals, in order within each vault. An accrual of at least a penny also posts a transfer, and an
-- allocation in the vault.
-- Runs as the schema's owner, accepts only the present time, and refuses an accrual that ends after today. The fixed
-- `search_path` stops callers from substituting tables or operators of their own.
create or replace function interest_post(p_at timestamptz, p_accruals jsonb) returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  perform require_present(array[p_at]);
  if exists (
    select from jsonb_populate_recordset(null::accrual_to_post, p_accruals) a
     where a.to_date > (p_at at time zone 'Europe/London')::date) then
    raise exception 'an accrual ends after today' using errcode = 'integrity_constraint_violation';
  end if;

  with given as (
    select * from jsonb_populate_recordset(null::accrual_to_post, p_accruals) where accrued > 0
  ), transfer as (
    insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
    select transfer_id, owner_id, 'interest', accrual_id, p_at from given)
  insert into ledger_accounts (owner_id, kind, vault_id)
  select distinct g.owner_id, 'interest', '' from given g
   where not exists (
     select from ledger_accounts a where a.owner_id = g.owner_id and a.kind = 'interest' and a.vault_id = '')
  on conflict do nothing;

  with given as materialized (
    select * from jsonb_populate_recordset(null::accrual_to_post, p_accruals)
  ), leg as (
    select ordinal, entry_out as entry_id, transfer_id, owner_id, 'interest' as account, '' as vault_id, -accrued as amount
      from given where accrued > 0
    union all
    select ordinal, entry_in, transfer_id, owner_id, 'vault', vault_id, accrued from given where accrued > 0
  ), entry as (
    insert into ledger_entries
      (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
    select leg.entry_id, leg.transfer_id, a.account_id, leg.owner_id, 'interest', leg.vault_id, leg.amount,
           a.balance + sum(leg.amount) over (partition by a.account_id order by leg.ordinal, leg.amount), p_at
      from leg
      join ledger_accounts a on a.owner_id = leg.owner_id and a.kind = leg.account and a.vault_id = leg.vault_id
     order by leg.ordinal, leg.amount
  ), allocation as (
    insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
    select allocation_id, owner_id, vault_id, 'interest', accrued, accrued, p_at
      from given where accrued > 0 order by ordinal)
  insert into accruals
    (accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried, accrued,
     remainder, balance_after, entries_before, posted_at)
  select accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried, accrued,
         remainder, balance_after, entries_before, p_at
    from given order by ordinal;
end $$;

revoke execute on function interest_post from public;
