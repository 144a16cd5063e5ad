-- Calculates the next accruals after an id again, from what moved on their vaults and from the rates of their days, and
-- compares. With a slice, only those of its vaults (`in_slice`), and those posted since. An accrual counts the entries that were there when it was posted, and the interest of the accruals before it.
create or replace function interest_checked(p_after text, p_most bigint, p_slice int, p_since timestamptz)
returns table (accrual_id text, sound boolean)
language sql stable as $$
  select a.accrual_id,
         coalesce(
           (a.from_date, a.carried, a.balance_days, a.balance_after, a.entries_before) =
             (start.day, coalesce(before.remainder, 0),
              (ledger.opening + earlier.uncounted) * (a.to_date - a.from_date) + counted.moment,
              ledger.seen + earlier.of_same_call + a.accrued, least(a.entries_seen, counted.later_seq))
           and a.balance_days * a.rate_millionths + a.carried = a.accrued::numeric * 365000000 + a.remainder
           and a.remainder >= -182500000 and a.remainder < 182500000
           and exists (
             select from interest_rates(v.vault_type, connected.connected_on) r
              where (r.annual_rate, r.millionths) = (a.annual_rate, a.rate_millionths)
                and r.starts <= a.from_date and a.from_date < r.ends and a.to_date <= r.ends)
           and (a.accrued = 0 or exists (
             select from ledger_entries e join ledger_transfers t on t.transfer_id = e.transfer_id
              where e.account_id = account.account_id and e.vault_id <> '' and e.seq >= a.entries_seen
                and (e.kind, e.amount, e.balance_after) = ('interest', a.accrued, a.balance_after)
                and (t.kind, t.subject_id) = ('interest', a.accrual_id))), false)
    from (select * from accruals c
           where c.accrual_id > p_after and (in_slice(c.vault_id, p_slice) or c.posted_at >= p_since)
           order by c.accrual_id limit p_most) a
    left join vaults v on v.vault_id = a.vault_id and v.owner_id = a.owner_id
    left join ledger_accounts account
           on account.owner_id = v.owner_id and account.kind = 'vault' and account.vault_id = v.vault_id
   cross join lateral bank_connected_on(v.owner_id) connected
    left join lateral (
      select c.to_date, c.remainder, c.entries_before from accruals c
       where c.vault_id = a.vault_id and c.to_date < a.to_date order by c.to_date desc limit 1) before on true
   cross join lateral (
     select coalesce(before.to_date, (v.created_at at time zone 'Europe/London')::date) as day,
            coalesce(before.entries_before, 0) as seq) start
   cross join lateral (
     select coalesce(sum(c.accrued) filter (where c.entries_seen >= start.seq), 0) as uncounted,
            coalesce(sum(c.accrued) filter (where c.entries_seen = a.entries_seen), 0) as of_same_call
       from accruals c where c.vault_id = a.vault_id and c.to_date < a.to_date) earlier
   cross join lateral (
     select coalesce((select e.balance_after from ledger_entries e
                       where e.account_id = account.account_id and e.vault_id <> '' and e.seq < start.seq
                       order by e.seq desc limit 1), 0) as opening,
            coalesce((select e.balance_after from ledger_entries e
                       where e.account_id = account.account_id and e.vault_id <> '' and e.seq < a.entries_seen
                       order by e.seq desc limit 1), 0) as seen) ledger
   cross join lateral (
     select coalesce(sum(e.amount * greatest(a.to_date - e.day, 0)) filter (where e.kind <> 'interest'), 0) as moment,
            min(e.seq) filter (where e.day >= a.to_date) as later_seq
       from interest_entries(account.account_id, a.from_date, start.seq) e where e.seq < a.entries_seen) counted
   order by a.accrual_id
$$;
