create or replace function interest_faults() returns table (fault text, subject text)
language sql stable
set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on as $$
  select 'interest is not what was accrued', coalesce(a.owner_id, c.owner_id)
    from (select owner_id, -balance as posted from ledger_accounts where kind = 'interest') a
    full join (select owner_id, sum(accrued) as accrued from accruals group by owner_id) c using (owner_id)
   where coalesce(a.posted, 0) <> coalesce(c.accrued, 0)
  union all
  select 'accrual without its movement', c.accrual_id
    from accruals c left join ledger_transfers t on t.subject_id = c.accrual_id and t.kind = 'interest'
   where (t.transfer_id is null) = (c.accrued > 0)
$$;
