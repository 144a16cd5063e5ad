-- Calculates accruals again, from what moved on their vaults and from the rates of their days, and compares. An accrual
-- counts the entries that were there when it was posted, and the interest of the accruals before it.
create or replace function interest_checked(p_after bigint, p_most bigint)
returns table (seq bigint, accrual_id text, sound boolean) language sql stable as $$
  select a.seq, a.accrual_id,
         coalesce(
           (a.from_date, a.carried, a.balance_days, a.accrued, a.balance_after, a.entries_before) =
             (coalesce(before.to_date, made.made_on), coalesce(before.remainder, 0), counted.balance_days, counted.posted,
              held.seen + so_far.accrued, counted.entries_before)
           and a.balance_days * a.rate_millionths + a.carried = a.accrued::numeric * 365000000 + a.remainder
           and a.remainder >= -182500000 and a.remainder < 182500000
           and exists (
             select from interest_rates(v.vault_type, connected.connected_on) r
              where (r.annual_rate, r.millionths) = (a.annual_rate, a.rate_millionths)
                and r.starts <= a.from_date and a.from_date < r.ends and a.to_date <= r.ends), false)
    from (select * from accruals c where c.seq > p_after order by c.seq limit p_most) a
    left join vaults v on v.vault_id = a.vault_id and v.owner_id = a.owner_id
    left join ledger_accounts account
           on account.owner_id = v.owner_id and account.kind = 'vault' and account.vault_id = v.vault_id
   cross join lateral (select (v.created_at at time zone 'Europe/London')::date as made_on) made
   cross join lateral bank_connected_on(v.owner_id) connected
    left join lateral (
      select c.to_date, c.remainder, c.entries_before from accruals c
       where c.vault_id = a.vault_id and c.to_date < a.to_date order by c.to_date desc limit 1) before on true
    left join lateral (
      select c.entries_seen from accruals c
       where c.vault_id = a.vault_id and c.to_date > a.to_date and c.entries_seen > a.entries_seen
       order by c.to_date limit 1) next on true
   cross join lateral (
     select sum(c.accrued) as accrued from accruals c
      where c.vault_id = a.vault_id and c.to_date <= a.to_date and c.entries_seen = a.entries_seen) so_far
   cross join lateral (
     select coalesce((select e.balance_after from ledger_entries e
                       where e.account_id = account.account_id and e.vault_id <> '' and e.seq < before.entries_before
                       order by e.seq desc limit 1), 0) as opening,
            coalesce((select e.balance_after from ledger_entries e
                       where e.account_id = account.account_id and e.vault_id <> '' and e.seq < a.entries_seen
                       order by e.seq desc limit 1), 0) as seen) held
   cross join lateral (
     select held.opening * (a.to_date - a.from_date)
              + coalesce(sum(e.amount * greatest(a.to_date - e.day, 0)) filter (where e.counts), 0) as balance_days,
            coalesce(sum(e.amount) filter (where e.accrual_id = a.accrual_id), 0) as posted,
            least(a.entries_seen, min(e.seq) filter (where e.seq < a.entries_seen and e.day >= a.to_date)) as entries_before
       from (
         select e.seq, e.day, e.amount, of.accrual_id,
                case when e.kind = 'interest' then of.to_date <= a.from_date else e.seq < a.entries_seen end as counts
           from interest_entries(account.account_id, a.from_date, coalesce(before.entries_before, 0)) e
           left join ledger_transfers t on e.kind = 'interest' and t.transfer_id = e.transfer_id
           left join accruals of on of.accrual_id = t.subject_id and of.vault_id = a.vault_id
          where e.seq < coalesce(next.entries_seen, 9223372036854775807)) e) counted
   order by a.seq
$$;
