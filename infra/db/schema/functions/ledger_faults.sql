-- With `p_slice`, only for the owners in this slice and for those with an entry after `p_after`.
drop function if exists ledger_faults();
create or replace function ledger_faults(p_slice int default null, p_after bigint default null)
returns table (fault text, subject text)
language sql stable
set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on as $$
  with active as (select distinct owner_id from ledger_entries where seq > p_after)
  select 'transfer does not balance', transfer_id from ledger_entries
   where (in_slice(owner_id, p_slice) or owner_id in (select owner_id from active))
   group by transfer_id having sum(amount) <> 0
  union all
  select 'balance is not the sum of its entries', a.account_id::text
    from ledger_accounts a left join ledger_entries e using (account_id)
   where (in_slice(a.owner_id, p_slice) or a.owner_id in (select owner_id from active))
   group by a.account_id having a.balance <> coalesce(sum(e.amount), 0)
  union all
  select 'vault is not the sum of its lots', a.vault_id
    from ledger_accounts a left join allocations l using (vault_id)
   where a.kind = 'vault' and (in_slice(a.owner_id, p_slice) or a.owner_id in (select owner_id from active))
   group by a.account_id having a.balance <> coalesce(sum(l.available), 0)
  union all
  select 'lot is in no vault of its owner', l.allocation_id
    from allocations l left join vaults v on v.vault_id = l.vault_id and v.owner_id = l.owner_id
   where v.vault_id is null and (in_slice(l.owner_id, p_slice) or l.owner_id in (select owner_id from active))
  union all
  select 'in flight is not the sum of the open payments', a.owner_id
    from ledger_accounts a
    left join payments p on p.owner_id = a.owner_id and p.status in ('processing', 'pending')
   where a.kind = 'in_flight' and (in_slice(a.owner_id, p_slice) or a.owner_id in (select owner_id from active))
   group by a.account_id having a.balance <> coalesce(sum(p.amount), 0)
  union all
  select 'payees did not get what was completed', a.owner_id
    from ledger_accounts a
    left join payments p on p.owner_id = a.owner_id and p.status = 'completed'
   where a.kind = 'payees' and (in_slice(a.owner_id, p_slice) or a.owner_id in (select owner_id from active))
   group by a.account_id having a.balance <> coalesce(sum(p.amount), 0)
  union all
  select 'owner does not add up to nothing', owner_id from ledger_accounts
   where (in_slice(owner_id, p_slice) or owner_id in (select owner_id from active))
   group by owner_id having sum(balance) <> 0
$$;
