-- For `ledger verify`: every transfer needs a cause, and no accrual may end after today.
-- With `p_slice`, only for the owners in this slice and for those with an entry after `p_after`.
drop function if exists ledger_causes();
create or replace function ledger_causes(p_slice int default null, p_after bigint default null)
returns table (fault text, subject text)
language sql stable
set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on as $$
  with active as (select distinct owner_id from ledger_entries where seq > p_after)
  select 'transfer without its calculation', t.transfer_id from ledger_transfers t
   where t.kind in ('paycheck', 'paycheck_revision')
     and (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active))
     and not exists (
     select from calculations c
      where c.calculation_id = t.subject_id and c.owner_id = t.owner_id and (c.revision = 1) = (t.kind = 'paycheck'))
  union all
  select 'transfer without its payment', t.transfer_id from ledger_transfers t
   where t.kind in ('payment', 'payment_completed', 'payment_failed', 'payment_cancelled', 'payment_returned')
     and (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active))
     and not exists (select from payments p where p.payment_id = t.subject_id and p.owner_id = t.owner_id)
  union all
  select 'transfer without its accrual', t.transfer_id from ledger_transfers t
   where t.kind in ('interest') and (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active))
     and not exists (select from accruals a where a.accrual_id = t.subject_id and a.owner_id = t.owner_id)
  union all
  select 'transfer without its allocation', t.transfer_id from ledger_transfers t
   where t.kind in ('allocation')
     and (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active))
     and not exists (
     select from allocations l
      where l.allocation_id = t.subject_id and l.owner_id = t.owner_id and l.source = 'allocation')
  union all
  select 'transfer without entries', t.transfer_id from ledger_transfers t
   where (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active))
     and not exists (select from ledger_entries e where e.transfer_id = t.transfer_id)
  union all
  select 'transfer between accounts that its kind does not move', t.transfer_id
    from ledger_transfers t
   where (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active)) and exists (
     select from ledger_entries e join ledger_accounts a on a.account_id = e.account_id
      where e.transfer_id = t.transfer_id and (t.kind, a.kind::text) not in (
        ('paycheck', 'employer'), ('paycheck', 'income'), ('paycheck', 'safe_to_spend'),
        ('paycheck', 'buffer'), ('paycheck', 'vault'),
        ('paycheck_revision', 'employer'), ('paycheck_revision', 'income'), ('paycheck_revision', 'safe_to_spend'),
        ('paycheck_revision', 'buffer'), ('paycheck_revision', 'vault'),
        ('allocation', 'safe_to_spend'), ('allocation', 'vault'),
        ('withdrawal', 'vault'), ('withdrawal', 'safe_to_spend'),
        ('transfer', 'vault'),
        ('payment', 'vault'), ('payment', 'in_flight'),
        ('payment_completed', 'in_flight'), ('payment_completed', 'payees'),
        ('payment_failed', 'in_flight'), ('payment_failed', 'vault'),
        ('payment_cancelled', 'in_flight'), ('payment_cancelled', 'vault'),
        ('payment_returned', 'payees'), ('payment_returned', 'vault'),
        ('interest', 'interest'), ('interest', 'vault')))
  union all
  select 'more than one transfer for one cause', min(t.transfer_id) from ledger_transfers t
   where t.kind not in ('payment', 'payment_completed', 'payment_failed', 'payment_cancelled', 'payment_returned')
     and (in_slice(t.owner_id, p_slice) or t.owner_id in (select owner_id from active))
   group by t.kind, t.subject_id having count(*) > 1
  union all
  select 'employer did not pay what was calculated', coalesce(a.owner_id, c.owner_id)
    from (select owner_id, -balance as paid from ledger_accounts
           where kind = 'employer' and (in_slice(owner_id, p_slice) or owner_id in (select owner_id from active))) a
    full join (
      select owner_id, sum(gross_income) as gross
        from (select distinct on (owner_id, pay_date, number) owner_id, gross_income from calculations
               where (in_slice(owner_id, p_slice) or owner_id in (select owner_id from active))
               order by owner_id, pay_date, number, revision desc) newest
       group by owner_id) c using (owner_id)
   where coalesce(a.paid, 0) <> coalesce(c.gross, 0)
  union all
  select 'accrual ends after today', accrual_id from accruals where to_date > business_today()
     and (in_slice(owner_id, p_slice) or owner_id in (select owner_id from active))
$$;
